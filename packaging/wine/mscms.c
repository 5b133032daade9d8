/* Colour profiles of monitors: Wine 8 lacks one function that Qt imports. No monitor has one. */
#define ANSWERS(name, value) \
    __declspec(dllexport) void *name(void) { return (void *)(value); }

ANSWERS(CloseColorProfile, 1)
ANSWERS(GetColorProfileFromHandle, 0)
ANSWERS(OpenColorProfileW, 0)
ANSWERS(WcsCreateIccProfile, 0)
