; What installer, uninstaller and rollback share: where things lie, and how a version is taken away.
;
;   $INSTDIR\current     the version that runs; shortcuts and autostart point here, for good
;   $INSTDIR\previous    the version before it, whole
;   $INSTDIR\new         a version that is being unpacked
;
; Each holds files.txt: what the installer wrote there, one "F file" or "D folder" a line, a folder
; after what is in it, and before all of them "V version". Only what it names is ever deleted.

!define PRODUCT "Contenox"
!define LIST "files.txt"
!define WINDOW "contenox-desktop.exe"
!define CONSOLE "contenox.exe"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${PRODUCT}"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define START_MENU "$SMPROGRAMS\${PRODUCT}"
; A person pressed Cancel, or the program doesn't end.
!define STILL_RUNS 3
!define FOREIGN_FOLDER 4
!define NO_PREVIOUS 5

; Leaves the next line of the list $0 in $1 (its kind) and $2 (the path); $1 is empty at the end.
!macro NextLine
  ClearErrors
  FileReadUTF16LE $0 $2
  ${If} ${Errors}
    StrCpy $1 ""
  ${Else}
    StrCpy $1 $2 1
    StrCpy $2 $2 -2 2 ; without the end of the line
  ${EndIf}
!macroend

; Deletes what the list in the folder $R0 names, and the folder if nothing else is in it.
!macro FunctionRemoveVersion un
Function ${un}RemoveVersion
  ${IfNot} ${FileExists} "$R0\${LIST}"
    Return
  ${EndIf}
  FileOpen $0 "$R0\${LIST}" r
  ${Do}
    !insertmacro NextLine
    ${If} $1 == "F"
      Delete "$R0\$2"
    ${ElseIf} $1 == "D"
      RMDir "$R0\$2"
    ${EndIf}
  ${LoopUntil} $1 == ""
  FileClose $0
  Delete "$R0\${LIST}"
  RMDir "$R0"
FunctionEnd
!macroend

; Leaves the version of the folder $R0 in $R1, empty if it holds none.
!macro FunctionReadVersion un
Function ${un}ReadVersion
  StrCpy $R1 ""
  ${If} ${FileExists} "$R0\${LIST}"
    FileOpen $0 "$R0\${LIST}" r
    !insertmacro NextLine
    FileClose $0
    StrCpy $R1 $2
  ${EndIf}
FunctionEnd
!macroend

; Ends the window that runs; leaves 0 in $R1, or what says that it still runs.
!macro FunctionEndWindow un
Function ${un}EndWindow
  StrCpy $R1 0
  ${If} ${FileExists} "$INSTDIR\current\${WINDOW}"
    nsExec::Exec '"$INSTDIR\current\${WINDOW}" --quit'
    Pop $R1
  ${EndIf}
FunctionEnd
!macroend
