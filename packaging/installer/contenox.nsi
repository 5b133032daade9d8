; The installer: for one person, without an administrator.
;
;   makensis -DVERSION=... -DPAYLOAD=payload.nsh -DLIST_FILE=... -DROLLBACK=... -DOUTPUT=... contenox.nsi
;
; Silent: /S, then /AUTOSTART, and /D=FOLDER as the last one without quotes. The uninstaller: /S and
; /MODELS to delete the models as well. contenox_build/installer.py calls this.

Unicode true
!ifdef TARGET
  Target ${TARGET}
!endif
ManifestDPIAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
SetCompressor zlib
SetDateSave off
AllowSkipFiles off
ShowInstDetails nevershow
ShowUninstDetails nevershow
BrandingText "Contenox ${VERSION}"

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include nsDialogs.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh
!include layout.nsh

Name "${PRODUCT}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\${PRODUCT}"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" "InstallLocation"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Contenox Desktop"
VIAddVersionKey "CompanyName" "Contenox"
VIAddVersionKey "FileDescription" "Contenox Desktop Setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "Apache-2.0"
!ifdef SIGN
  !finalize '${SIGN} "%1"'
  !uninstfinalize '${SIGN} "%1"'
!endif

Var ModelsBox
Var DeleteModels

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_NODESC
!define MUI_WELCOMEFINISHPAGE_BITMAP "${NSISDIR}\Contrib\Graphics\Wizard\nsis3-grey.bmp"
!define MUI_FINISHPAGE_RUN "$INSTDIR\current\${WINDOW}"
!define MUI_FINISHPAGE_NOAUTOCLOSE
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
UninstPage custom un.AskAboutModels un.HearAboutModels
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!include texts.nsh

!insertmacro FunctionRemoveVersion ""
!insertmacro FunctionReadVersion ""
!insertmacro FunctionEndWindow ""
!insertmacro FunctionRemoveVersion "un."
!insertmacro FunctionEndWindow "un."

; Ends the installation with the code and the text of a reason, said unless it is silent.
!macro GiveUp code text
  SetErrorLevel ${code}
  MessageBox MB_OK|MB_ICONSTOP "${text}" /SD IDOK
  Quit
!macroend

Section "$(TEXT_PROGRAM)" SectionProgram
  SectionIn RO
  ${If} ${FileExists} "$INSTDIR\current\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\current\${LIST}"
    !insertmacro GiveUp ${FOREIGN_FOLDER} "$(TEXT_FOREIGN)"
  ${EndIf}

  ; Beside the version that runs, which stays whole until this one is.
  StrCpy $R0 "$INSTDIR\new"
  Call RemoveVersion
  SetOutPath "$INSTDIR\new"
  File "/oname=${LIST}" "${LIST_FILE}"
  !include "${PAYLOAD}"
  SetOutPath "$INSTDIR"

  again:
  Call EndWindow
  ${If} $R1 != 0
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(TEXT_RUNS)" /SD IDCANCEL IDRETRY again
    Call TakeBack
    SetErrorLevel ${STILL_RUNS}
    Quit
  ${EndIf}
  Call MakeRoom
  ${If} ${FileExists} "$INSTDIR\current\*.*"
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(TEXT_IN_USE)" /SD IDCANCEL IDRETRY again
    Call TakeBack
    SetErrorLevel ${STILL_RUNS}
    Quit
  ${EndIf}
  Rename "$INSTDIR\new" "$INSTDIR\current"

  File "/oname=rollback.exe" "${ROLLBACK}"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  Call WriteEntries
SectionEnd

Section /o "$(TEXT_AUTOSTART)" SectionAutostart
  ; What the program's own setting writes.
  WriteRegStr HKCU "${RUN_KEY}" "${PRODUCT}" '"$INSTDIR\current\${WINDOW}" --in-tray'
SectionEnd

Function .onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/AUTOSTART" $1
  ${IfNot} ${Errors}
    SectionSetFlags ${SectionAutostart} ${SF_SELECTED}
  ${EndIf}
  ; Who starts it with Windows already goes on doing so.
  ReadRegStr $1 HKCU "${RUN_KEY}" "${PRODUCT}"
  ${If} $1 != ""
    SectionSetFlags ${SectionAutostart} ${SF_SELECTED}
  ${EndIf}
FunctionEnd

; A full disk or a Cancel while files are unpacked: the version that runs was not touched.
Function .onInstFailed
  Call TakeBack
FunctionEnd

Function TakeBack
  SetOutPath "$INSTDIR"
  StrCpy $R0 "$INSTDIR\new"
  Call RemoveVersion
FunctionEnd

; Puts the current version out of the way: it becomes the previous one. The same version again only
; goes, so that a repair doesn't cost the version before.
Function MakeRoom
  ${IfNot} ${FileExists} "$INSTDIR\current\*.*"
    Return
  ${EndIf}
  StrCpy $R0 "$INSTDIR\current"
  Call ReadVersion
  ${If} $R1 == "${VERSION}"
    ; The new one keeps a place to come back from if this is killed now.
    Rename "$INSTDIR\current" "$INSTDIR\replaced"
    StrCpy $R0 "$INSTDIR\replaced"
    Call RemoveVersion
    Call KeepForeign
  ${Else}
    StrCpy $R0 "$INSTDIR\previous"
    Call RemoveVersion
    Call KeepForeign
    Rename "$INSTDIR\current" "$INSTDIR\previous"
  ${EndIf}
FunctionEnd

; Files of somebody else in the folder $R0 keep it, under a name that is not in the way.
Function KeepForeign
  StrCpy $0 1
  ${While} ${FileExists} "$R0\*.*"
    ${If} ${FileExists} "$INSTDIR\kept $0\*.*"
      IntOp $0 $0 + 1
    ${Else}
      ClearErrors
      Rename "$R0" "$INSTDIR\kept $0"
      ${If} ${Errors}
        Return ; in use: said by who asked
      ${EndIf}
    ${EndIf}
  ${EndWhile}
FunctionEnd

Function WriteEntries
  CreateDirectory "${START_MENU}"
  SetOutPath "$INSTDIR\current"
  CreateShortcut "${START_MENU}\${PRODUCT}.lnk" "$INSTDIR\current\${WINDOW}"
  Push "${START_MENU}\${PRODUCT}.lnk"
  Call NameOnTaskbar
  SetOutPath "$INSTDIR"
  Delete "${START_MENU}\${PREVIOUS_ENGLISH}.lnk"
  Delete "${START_MENU}\${PREVIOUS_GERMAN}.lnk"
  ${If} ${FileExists} "$INSTDIR\previous\${WINDOW}"
    CreateShortcut "${START_MENU}\$(TEXT_PREVIOUS_ENTRY).lnk" "$INSTDIR\rollback.exe"
  ${EndIf}
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "Contenox Desktop"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\current\${WINDOW}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "Contenox"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KIB}
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
FunctionEnd

; Gives the shortcut on the stack the name that the program gives its windows (app/core/windows.py),
; or a pinned entry and the window would be two on the taskbar.
Function NameOnTaskbar
  Pop $4
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P<> 0
    ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
    ${If} $1 P<> 0
      ${IPersistFile::Load} $1 '("$4",${STGM_READWRITE})'
      ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r2)'
      ${If} $2 P<> 0
        System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r3'
        System::Call '*(&w64 "${APP_ID}")p.r5'
        System::Call '*${SYSSTRUCT_PROPVARIANT}(${VT_LPWSTR},,p r5)p.r6'
        ${IPropertyStore::SetValue} $2 '($3,$6)'
        ${IPropertyStore::Commit} $2 ""
        System::Free $6
        System::Free $5
        System::Free $3
        ${IUnknown::Release} $2 ""
        ${IPersistFile::Save} $1 '("$4",1)'
      ${EndIf}
      ${IUnknown::Release} $1 ""
    ${EndIf}
    ${IUnknown::Release} $0 ""
  ${EndIf}
FunctionEnd

; --- taking it away ---

Function un.onInit
  StrCpy $DeleteModels 0
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/MODELS" $1
  ${IfNot} ${Errors}
    StrCpy $DeleteModels 1
  ${EndIf}
FunctionEnd

Function un.AskAboutModels
  nsExec::ExecToStack '"$INSTDIR\current\${CONSOLE}" models delete-all --size'
  Pop $0
  Pop $R8
  ${If} $0 != 0
    Abort ; it can't be told, so nothing is asked and nothing deleted
  ${EndIf}
  ; Without the end of the line.
  ${Do}
    StrCpy $0 $R8 1 -1
    ${If} $0 != "$\n"
    ${AndIf} $0 != "$\r"
      ${ExitDo}
    ${EndIf}
    StrCpy $R8 $R8 -1
  ${Loop}
  ${If} $R8 == "0 bytes"
    Abort ; there is nothing to ask about
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "$(TEXT_MODELS_TITLE)" "$(TEXT_MODELS_SUBTITLE)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateCheckbox} 0 0 100% 24u "$(TEXT_MODELS_QUESTION)"
  Pop $ModelsBox
  ${NSD_CreateLabel} 0 40u 100% 36u "$(TEXT_CHATS_STAY)"
  Pop $0
  nsDialogs::Show
FunctionEnd

Function un.HearAboutModels
  ${NSD_GetState} $ModelsBox $DeleteModels
FunctionEnd

Section "un.${PRODUCT}"
  again:
  Call un.EndWindow
  ${If} $R1 != 0
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(TEXT_RUNS)" /SD IDCANCEL IDRETRY again
    SetErrorLevel ${STILL_RUNS}
    Quit
  ${EndIf}
  ${If} $DeleteModels == 1
    nsExec::Exec '"$INSTDIR\current\${CONSOLE}" models delete-all --yes'
    Pop $0
  ${EndIf}
  SetOutPath "$TEMP"
  StrCpy $R0 "$INSTDIR\current"
  Call un.RemoveVersion
  StrCpy $R0 "$INSTDIR\previous"
  Call un.RemoveVersion
  StrCpy $R0 "$INSTDIR\new"
  Call un.RemoveVersion
  StrCpy $R0 "$INSTDIR\replaced"
  Call un.RemoveVersion
  Delete "${START_MENU}\${PRODUCT}.lnk"
  Delete "${START_MENU}\${PREVIOUS_ENGLISH}.lnk"
  Delete "${START_MENU}\${PREVIOUS_GERMAN}.lnk"
  RMDir "${START_MENU}"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  ; Another copy, a portable one say, may start with Windows: that entry is not ours.
  ReadRegStr $0 HKCU "${RUN_KEY}" "${PRODUCT}"
  StrLen $1 "$INSTDIR\"
  StrCpy $2 $0 $1
  StrCpy $3 $0 $1 1
  ${If} $2 == "$INSTDIR\"
  ${OrIf} $3 == "$INSTDIR\"
    DeleteRegValue HKCU "${RUN_KEY}" "${PRODUCT}"
  ${EndIf}
  Delete "$INSTDIR\rollback.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd
