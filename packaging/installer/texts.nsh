; Every text that a person sees, in both languages. $R8 is the size of the models.
; Names of files: Windows' language may change between installing and uninstalling.
!define PREVIOUS_ENGLISH "Back to the previous version"
!define PREVIOUS_GERMAN "Zurück zur vorigen Version"

!macro Text name english german
  LangString ${name} ${LANG_ENGLISH} "${english}"
  LangString ${name} ${LANG_GERMAN} "${german}"
!macroend

!insertmacro Text TEXT_RUNS \
  "Contenox is still running. Close it and press Retry." \
  "Contenox läuft noch. Beenden Sie es und drücken Sie auf Wiederholen."
!insertmacro Text TEXT_IN_USE \
  "Files of Contenox in $INSTDIR are in use. Close what uses them, a console for example, and press Retry." \
  "Dateien von Contenox in $INSTDIR werden benutzt. Schließen Sie, was sie benutzt, etwa eine Konsole, und drücken Sie auf Wiederholen."
!insertmacro Text TEXT_FOREIGN \
  "$INSTDIR\current holds something that is not Contenox. Choose another folder." \
  "$INSTDIR\current enthält etwas, das nicht Contenox ist. Wählen Sie einen anderen Ordner."
!insertmacro Text TEXT_PROGRAM "The program" "Das Programm"
!insertmacro Text TEXT_AUTOSTART "Start with Windows, in the tray" "Mit Windows starten, im Infobereich"
!insertmacro Text TEXT_PREVIOUS_ENTRY "${PREVIOUS_ENGLISH}" "${PREVIOUS_GERMAN}"
!insertmacro Text TEXT_NO_PREVIOUS \
  "There is no previous version to go back to." \
  "Es gibt keine vorige Version, zu der zurückgegangen werden könnte."
!insertmacro Text TEXT_MODELS_TITLE "Models" "Modelle"
!insertmacro Text TEXT_MODELS_SUBTITLE \
  "The program goes; what is yours stays unless you say otherwise." \
  "Das Programm wird entfernt; was Ihnen gehört, bleibt, wenn Sie nichts anderes sagen."
!insertmacro Text TEXT_MODELS_QUESTION \
  "Delete the models too, and what was compiled from them ($R8)" \
  "Auch die Modelle löschen und was aus ihnen übersetzt wurde ($R8)"
!insertmacro Text TEXT_CHATS_STAY \
  "Chats and settings stay in $LOCALAPPDATA\Contenox. A new installation finds them there." \
  "Chats und Einstellungen bleiben in $LOCALAPPDATA\Contenox. Eine neue Installation findet sie dort."
