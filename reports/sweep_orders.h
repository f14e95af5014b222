/* What ranks say to each other: the tags of their messages. */
#ifndef REPORT_SWEEP_ORDERS_H
#define REPORT_SWEEP_ORDERS_H

/* From rank 0: */
enum {
    HELLO = 1, /* the identity of the plan, as in a journal */
    UNIT,      /* the index of a unit to run */
    END,       /* no more units */
    CLOSE,     /* "1": all close together; "0": each alone */
    /* To rank 0: */
    WANT,   /* one unit more */
    ENTRY,  /* what a unit gave, as in a journal */
    BEAT,   /* still there */
    REFUSE, /* a line for the user that ends the sweep */
    BYE     /* END has come */
};

#endif
