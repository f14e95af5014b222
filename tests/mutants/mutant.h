/* Included by mutated sources: which of the faults is the true one in this run. */
#ifndef MUTANT_H
#define MUTANT_H

/* From MUTANT in the environment; 0: none, the program as it is. */
extern unsigned mutant_chosen;
/* mutant_reached[id] is set when the site of a mutant is evaluated: for later runs, in the file that
   MUTANT_REACHED names. */
extern unsigned char *mutant_reached;

static inline int mutant_is(unsigned id) {
    mutant_reached[id] = 1;
    return mutant_chosen == id;
}

#endif
