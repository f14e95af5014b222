/* A race on purpose: "make sanitize-threads" says nothing unless the sanitizer sees it. */
#include <stdio.h>

int main(void) {
    long count = 0;
#pragma omp parallel for
    for (long i = 0; i < 100000; i++)
        count++;
    printf("%ld\n", count);
    return 0;
}
