#include "numerics/accuracy/reference_double.h"
reference_status reference_double_recurrence(reference_t r, reference_head *h) { (void)r; (void)h; return REFERENCE_UNDECIDED; }
