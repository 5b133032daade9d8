/* An earlier version of the program, for the trial of the installer: it says what it is asked, and
   no window of it ever runs. */
#include <stdio.h>

int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1) puts("98 MB");
    return 0;
}
