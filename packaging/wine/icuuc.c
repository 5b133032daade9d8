/* Windows' converters of character sets, which Wine 8 lacks: Qt imports them and then does without,
   since opening one fails. */
#define ABSENT(name) \
    __declspec(dllexport) void *name(void) { return 0; }
#define FAILS(name) \
    __declspec(dllexport) void *name(const void *what, int *error) { \
        (void)what; \
        if (error) *error = 4; /* U_FILE_ACCESS_ERROR */ \
        return 0; \
    }

FAILS(ucnv_open)
FAILS(ucnv_getName)
ABSENT(ucnv_close)
ABSENT(ucnv_reset)
ABSENT(ucnv_getToUCallBack)
ABSENT(ucnv_getFromUCallBack)
ABSENT(ucnv_setToUCallBack)
ABSENT(ucnv_setFromUCallBack)
ABSENT(ucnv_cbToUWriteUChars)
ABSENT(ucnv_cbFromUWriteUChars)
ABSENT(ucnv_toUnicode)
ABSENT(ucnv_fromUnicode)
ABSENT(ucnv_toUCountPending)
ABSENT(ucnv_fromUCountPending)
ABSENT(ucnv_getStandardName)
ABSENT(ucnv_getAvailableName)
ABSENT(ucnv_countAvailable)
ABSENT(UCNV_FROM_U_CALLBACK_SUBSTITUTE)
ABSENT(UCNV_TO_U_CALLBACK_SUBSTITUTE)
