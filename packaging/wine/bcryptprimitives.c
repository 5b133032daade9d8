/* Random bytes for code in Rust: Wine 8 has them under an older name only. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *buffer, unsigned long size);

__declspec(dllexport) int ProcessPrng(unsigned char *buffer, size_t size) {
    while (size > 0) {
        unsigned long part = size > 65536 ? 65536 : (unsigned long)size;
        SystemFunction036(buffer, part);
        buffer += part;
        size -= part;
    }
    return 1;
}
