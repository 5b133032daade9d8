; Goes back to the version that was installed before; started again, it comes back to the newer one.
; No window but for an error. Silent: /S, then the program isn't started afterwards.

Unicode true
!ifdef TARGET
  Target ${TARGET}
!endif
ManifestDPIAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
SetCompressor zlib
SetDateSave off

!include LogicLib.nsh
!include layout.nsh

Name "${PRODUCT}"
OutFile "${OUTPUT}"
Icon "${ICON}"
AutoCloseWindow true
LoadLanguageFile "${NSISDIR}\Contrib\Language files\English.nlf"
LoadLanguageFile "${NSISDIR}\Contrib\Language files\German.nlf"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Contenox Desktop"
VIAddVersionKey "FileDescription" "Contenox Desktop, back to the previous version"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "Apache-2.0"
!ifdef SIGN
  !finalize '${SIGN} "%1"'
!endif

!include texts.nsh
!insertmacro FunctionReadVersion ""
!insertmacro FunctionEndWindow ""

Var Quiet

Function .onInit
  StrCpy $Quiet 0
  ${If} ${Silent}
    StrCpy $Quiet 1
  ${EndIf}
  SetSilent silent
  StrCpy $INSTDIR $EXEDIR
FunctionEnd

Section
  StrCpy $R0 "$INSTDIR\previous"
  Call ReadVersion
  StrCpy $R2 $R1
  ${If} $R2 == ""
    SetErrorLevel ${NO_PREVIOUS}
    ${If} $Quiet == 0
      MessageBox MB_OK|MB_ICONINFORMATION "$(TEXT_NO_PREVIOUS)"
    ${EndIf}
    Quit
  ${EndIf}
  again:
  SetOutPath "$TEMP"
  Call EndWindow
  ClearErrors
  ${If} $R1 == 0
    Rename "$INSTDIR\current" "$INSTDIR\replaced"
  ${Else}
    SetErrors
  ${EndIf}
  ${If} ${Errors}
    ${If} $Quiet == 0
      MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(TEXT_RUNS)" IDRETRY again
    ${EndIf}
    SetErrorLevel ${STILL_RUNS}
    Quit
  ${EndIf}
  Rename "$INSTDIR\previous" "$INSTDIR\current"
  Rename "$INSTDIR\replaced" "$INSTDIR\previous"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "$R2"
  ${If} $Quiet == 0
    Exec '"$INSTDIR\current\${WINDOW}"'
  ${EndIf}
SectionEnd
