/* Ending by SIGINT, SIGTERM or SIGHUP: at once, or when whoever works looks. */
#ifndef REPORT_STOP_H
#define REPORT_STOP_H

enum {
    STOP_STATUS = 130,  /* exit status of a process that was stopped */
    STOP_INTERVAL = 200 /* milliseconds to wait at most between two looks at stop_wanted() */
};

/* From here on such a signal ends the process with STOP_STATUS: outputs that are not whole yet are
   removed and line is written to stderr.  A signal that is ignored (nohup) stays so.  line is kept,
   not copied. */
void stop_install(const char *line);

/* From here on the signal is noted, for stop_wanted() to tell; it ends the process as above only if
   it comes again after a second or more. */
void stop_defer(void);
int stop_wanted(void);

/* In a forked process: an interrupt is for the parent to decide, the others end it. */
void stop_child(void);

#endif
