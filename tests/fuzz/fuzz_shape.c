/* A shape as text is read or refused; what is printed is read as the same shape. */
#include "numerics/accuracy/inputs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = fuzz_string(bytes, size), complaint[INPUTS_COMPLAINT] = "",
         shown[INPUTS_SHAPE_TEXT];
    inputs_shape shape, again;
    if (inputs_parse_shape(&shape, text, complaint)) {
        inputs_shape_text(&shape, shown);
        fuzz_demand(strlen(shown) + 1 < INPUTS_SHAPE_TEXT);
        fuzz_demand(inputs_parse_shape(&again, shown, complaint));
        fuzz_demand(inputs_same_shape(&shape, &again));
        fuzz_demand(shape.time >= 0 && shape.dk > 0 && shape.dv > 0 && shape.batch > 0);
    } else {
        fuzz_demand(strlen(complaint) >= 8);
    }
    free(text);
    return 0;
}
