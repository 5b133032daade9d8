<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
  <context>
    <name>AnswerBlock</name>
    <message>
      <source>The model wrote</source>
      <translation>Das Modell schrieb</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>Antwort</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <source>Answer again</source>
      <translation>Noch einmal antworten</translation>
    </message>
    <message>
      <source>Go on</source>
      <translation>Fortfahren</translation>
    </message>
    <message>
      <source>About this answer</source>
      <translation>Über diese Antwort</translation>
    </message>
  </context>
  <context>
    <name>BranchBar</name>
    <message>
      <source>Previous version</source>
      <translation>Vorige Fassung</translation>
    </message>
    <message>
      <source>Next version</source>
      <translation>Nächste Fassung</translation>
    </message>
  </context>
  <context>
    <name>ChatList</name>
    <message>
      <source>New chat</source>
      <translation>Neuer Chat</translation>
    </message>
    <message>
      <source>New chat (Ctrl+N)</source>
      <translation>Neuer Chat (Strg+N)</translation>
    </message>
    <message>
      <source>Search</source>
      <translation>Suchen</translation>
    </message>
    <message>
      <source>Search in all chats</source>
      <translation>In allen Chats suchen</translation>
    </message>
    <message>
      <source>Undo the deletion</source>
      <translation>Löschen rückgängig machen</translation>
    </message>
    <message>
      <source>Chats</source>
      <translation>Chats</translation>
    </message>
    <message>
      <source>Rename</source>
      <translation>Umbenennen</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Löschen</translation>
    </message>
    <message>
      <source>Undo: delete {title}</source>
      <translation>Zurückholen: {title}</translation>
    </message>
    <message>
      <source>Pin</source>
      <translation>Anheften</translation>
    </message>
    <message>
      <source>Unpin</source>
      <translation>Loslösen</translation>
    </message>
    <message>
      <source>Copy as Markdown</source>
      <translation>Als Markdown kopieren</translation>
    </message>
    <message>
      <source>Export…</source>
      <translation>Exportieren…</translation>
    </message>
    <message>
      <source>Import…</source>
      <translation>Importieren…</translation>
    </message>
  </context>
  <context>
    <name>ChatListModel</name>
    <message>
      <source>New chat</source>
      <translation>Neuer Chat</translation>
    </message>
    <message>
      <source>{title}, pinned</source>
      <translation>{title}, angeheftet</translation>
    </message>
  </context>
  <context>
    <name>CloseNotice</name>
    <message>
      <source>Keep running?</source>
      <translation>Weiterlaufen?</translation>
    </message>
    <message>
      <source>Contenox keeps running in the tray</source>
      <translation>Contenox läuft im Infobereich weiter</translation>
    </message>
    <message>
      <source>Closing the window leaves the icon beside the clock, so that the next question needs no waiting. Windows may hide it behind the small arrow there. You can change this in the settings.</source>
      <translation>Nach dem Schließen bleibt das Symbol neben der Uhr, damit die nächste Frage nicht warten muss. Windows versteckt es manchmal hinter dem kleinen Pfeil. In den Einstellungen lässt sich das ändern.</translation>
    </message>
    <message>
      <source>Keep it in the tray</source>
      <translation>Im Infobereich lassen</translation>
    </message>
    <message>
      <source>Quit when I close the window</source>
      <translation>Beim Schließen beenden</translation>
    </message>
  </context>
  <context>
    <name>Composer</name>
    <message>
      <source>Write a message</source>
      <translation>Nachricht schreiben</translation>
    </message>
    <message>
      <source>Message</source>
      <translation>Nachricht</translation>
    </message>
    <message>
      <source>Enter sends, Shift and Enter breaks the line, Escape stops the answer</source>
      <translation>Eingabe sendet, Umschalt und Eingabe bricht die Zeile um, Escape hält die Antwort an</translation>
    </message>
    <message>
      <source>Send</source>
      <translation>Senden</translation>
    </message>
    <message>
      <source>Changing an earlier message (Esc leaves it)</source>
      <translation>Eine frühere Nachricht wird geändert (Esc lässt sie)</translation>
    </message>
    <message>
      <source>Stop (Esc)</source>
      <translation>Anhalten (Esc)</translation>
    </message>
    <message>
      <source>Send (Enter)</source>
      <translation>Senden (Eingabe)</translation>
    </message>
  </context>
  <context>
    <name>Desk</name>
    <message>
      <source>The model is answering</source>
      <translation>Das Modell antwortet</translation>
    </message>
    <message>
      <source>The answer is complete</source>
      <translation>Die Antwort ist vollständig</translation>
    </message>
    <message>
      <source>Go on</source>
      <translation>Fortfahren</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal versuchen</translation>
    </message>
    <message>
      <source>The chat was exported.</source>
      <translation>Der Chat wurde exportiert.</translation>
    </message>
    <message>
      <source>The chats are in the list.</source>
      <translation>Die Chats stehen in der Liste.</translation>
    </message>
  </context>
  <context>
    <name>Desktop</name>
    <message>
      <source>The answer is ready</source>
      <translation>Die Antwort ist fertig</translation>
    </message>
  </context>
  <context>
    <name>DeviceChooser</name>
    <message>
      <source>Device</source>
      <translation>Gerät</translation>
    </message>
    <message>
      <source>Automatic</source>
      <translation>Automatisch</translation>
    </message>
    <message>
      <source>Looking for devices</source>
      <translation>Geräte werden gesucht</translation>
    </message>
    <message>
      <source>The device that runs the model</source>
      <translation>Das Gerät, auf dem das Modell läuft</translation>
    </message>
    <message>
      <source>The model failed its checks there.</source>
      <translation>Das Modell hat dort seine Prüfung nicht bestanden.</translation>
    </message>
    <message>
      <source>Models of llama.cpp run on the CPU only here.</source>
      <translation>Modelle von llama.cpp laufen hier nur auf der CPU.</translation>
    </message>
    <message>
      <source>OpenVINO's GPU plug-in isn't installed, so only the CPU can be used.</source>
      <translation>OpenVINOs GPU-Modul ist nicht installiert, deshalb ist nur die CPU nutzbar.</translation>
    </message>
    <message>
      <source>OpenVINO's GPU plug-in is installed but can't be loaded; usually the graphics driver with its OpenCL library is missing.</source>
      <translation>OpenVINOs GPU-Modul ist installiert, lässt sich aber nicht laden; meist fehlt der Grafiktreiber mit seiner OpenCL-Bibliothek.</translation>
    </message>
    <message>
      <source>OpenVINO's GPU plug-in works and finds no GPU that it supports.</source>
      <translation>OpenVINOs GPU-Modul arbeitet und findet keine GPU, die es unterstützt.</translation>
    </message>
    <message>
      <source>OpenVINO could not be asked for its devices; only the CPU is used.</source>
      <translation>OpenVINO konnte nicht nach Geräten gefragt werden; nur die CPU wird benutzt.</translation>
    </message>
    <message>
      <source>Reading the devices did not end, which usually is a hanging graphics driver; only the CPU is used.</source>
      <translation>Das Lesen der Geräte kam nicht zum Ende, meist wegen eines hängenden Grafiktreibers; nur die CPU wird benutzt.</translation>
    </message>
    <message>
      <source>Reading the devices failed, which usually is a crash in the graphics driver; only the CPU is used.</source>
      <translation>Das Lesen der Geräte ist gescheitert, meist wegen eines Absturzes im Grafiktreiber; nur die CPU wird benutzt.</translation>
    </message>
    <message>
      <source>Reading the devices gave an answer that can't be understood; only the CPU is used.</source>
      <translation>Das Lesen der Geräte gab eine unverständliche Antwort; nur die CPU wird benutzt.</translation>
    </message>
  </context>
  <context>
    <name>FirstRun</name>
    <message>
      <source>Welcome to Contenox</source>
      <translation>Willkommen bei Contenox</translation>
    </message>
    <message>
      <source>Chat with a language model on this computer. Nothing leaves it.</source>
      <translation>Ein Sprachmodell auf diesem Rechner. Nichts verlässt ihn.</translation>
    </message>
    <message>
      <source>98 MB, fast on every computer. Small: good for a first try, not for facts.</source>
      <translation>98 MB, schnell auf jedem Rechner. Klein: gut zum Ausprobieren, nicht für Fakten.</translation>
    </message>
    <message>
      <source>Get and chat</source>
      <translation>Holen und loslegen</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Fortschritt</translation>
    </message>
    <message>
      <source>Ready at once</source>
      <translation>Sofort bereit</translation>
    </message>
    <message>
      <source>Fast on every computer. Small: good for a first try, not for facts.</source>
      <translation>Schnell auf jedem Computer. Klein: gut für einen ersten Versuch, nicht für Fakten.</translation>
    </message>
    <message>
      <source>See all models</source>
      <translation>Alle Modelle ansehen</translation>
    </message>
    <message>
      <source>The best that fits here</source>
      <translation>Das Beste, das hier passt</translation>
    </message>
    <message>
      <source>Light</source>
      <translation>Leicht</translation>
    </message>
    <message>
      <source>{size} to download</source>
      <translation>{size} zum Herunterladen</translation>
    </message>
    <message>
      <source>On its way</source>
      <translation>Unterwegs</translation>
    </message>
  </context>
  <context>
    <name>Greeting</name>
    <message>
      <source>What would you like to know?</source>
      <translation>Was möchten Sie wissen?</translation>
    </message>
    <message>
      <source>The model runs on this computer. Nothing leaves it.</source>
      <translation>Das Modell läuft auf diesem Rechner. Nichts verlässt ihn.</translation>
    </message>
    <message>
      <source>Explain a word</source>
      <translation>Ein Wort erklären</translation>
    </message>
    <message>
      <source>Draft a polite e-mail</source>
      <translation>Eine höfliche E-Mail</translation>
    </message>
    <message>
      <source>Write a Python function</source>
      <translation>Eine Python-Funktion</translation>
    </message>
  </context>
  <context>
    <name>MainWindow</name>
    <message>
      <source>Show or hide the chats</source>
      <translation>Chats zeigen oder verbergen</translation>
    </message>
    <message>
      <source>Settings (Ctrl+,)</source>
      <translation>Einstellungen (Strg+,)</translation>
    </message>
    <message>
      <source>Models (Ctrl+M)</source>
      <translation>Modelle (Strg+M)</translation>
    </message>
    <message>
      <source>Measured on this computer (Ctrl+E)</source>
      <translation>Auf diesem Rechner gemessen (Strg+E)</translation>
    </message>
    <message>
      <source>Pin files to this chat</source>
      <translation>Dateien an diesen Chat heften</translation>
    </message>
    <message>
      <source>Files…</source>
      <translation>Dateien …</translation>
    </message>
    <message>
      <source>A folder…</source>
      <translation>Ein Ordner …</translation>
    </message>
  </context>
  <context>
    <name>Markdown</name>
    <message>
      <source>Scroll sideways</source>
      <translation>Seitwärts rollen</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <source>Copy the code block ({language})</source>
      <translation>Codeblock kopieren ({language})</translation>
    </message>
    <message>
      <source>text</source>
      <translation>Text</translation>
    </message>
    <message>
      <source>Copied</source>
      <translation>Kopiert</translation>
    </message>
    <message>
      <source>Picture, not loaded</source>
      <translation>Bild, nicht geladen</translation>
    </message>
    <message>
      <source>Thought for {time}</source>
      <translation>Nachgedacht: {time}</translation>
    </message>
    <message>
      <source>Thinking, {time}</source>
      <translation>Denkt nach, {time}</translation>
    </message>
    <message>
      <source>unfolded</source>
      <translation>aufgeklappt</translation>
    </message>
    <message>
      <source>folded</source>
      <translation>zugeklappt</translation>
    </message>
    <message>
      <source>{seconds} s</source>
      <translation>{seconds} s</translation>
    </message>
    <message>
      <source>{minutes} min {seconds} s</source>
      <translation>{minutes} min {seconds} s</translation>
    </message>
    <message>
      <source>Copy link address</source>
      <translation>Adresse des Links kopieren</translation>
    </message>
    <message>
      <source>Select this message</source>
      <translation>Diese Nachricht markieren</translation>
    </message>
  </context>
  <context>
    <name>ModelChooser</name>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>Modelle</translation>
    </message>
    <message>
      <source>No model</source>
      <translation>Kein Modell</translation>
    </message>
  </context>
  <context>
    <name>QuestionBlock</name>
    <message>
      <source>You wrote</source>
      <translation>Sie schrieben</translation>
    </message>
    <message>
      <source>Your message</source>
      <translation>Ihre Nachricht</translation>
    </message>
    <message>
      <source>Edit and send again</source>
      <translation>Ändern und neu senden</translation>
    </message>
    <message>
      <source>Copy</source>
      <translation>Kopieren</translation>
    </message>
    <message>
      <source>The model does not read the shaded part any more</source>
      <translation>Den blassen Teil liest das Modell nicht mehr</translation>
    </message>
  </context>
  <context>
    <name>QuickQuestion</name>
    <message>
      <source>Quick question</source>
      <translation>Schnelle Frage</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>Antwort</translation>
    </message>
    <message>
      <source>Open as a chat</source>
      <translation>Als Chat öffnen</translation>
    </message>
  </context>
  <context>
    <name>SettingsWindow</name>
    <message>
      <source>Settings</source>
      <translation>Einstellungen</translation>
    </message>
    <message>
      <source>Window</source>
      <translation>Fenster</translation>
    </message>
    <message>
      <source>Like the system</source>
      <translation>Wie das System</translation>
    </message>
    <message>
      <source>Light</source>
      <translation>Hell</translation>
    </message>
    <message>
      <source>Dark</source>
      <translation>Dunkel</translation>
    </message>
    <message>
      <source>Colours</source>
      <translation>Farben</translation>
    </message>
    <message>
      <source>Language (from the next start)</source>
      <translation>Sprache (ab dem nächsten Start)</translation>
    </message>
    <message>
      <source>Tray</source>
      <translation>Infobereich</translation>
    </message>
    <message>
      <source>Closing the window keeps Contenox in the tray</source>
      <translation>Nach dem Schließen läuft Contenox im Infobereich weiter</translation>
    </message>
    <message>
      <source>Start with the computer, in the tray</source>
      <translation>Mit dem Rechner starten, im Infobereich</translation>
    </message>
    <message>
      <source>None</source>
      <translation>Keine</translation>
    </message>
    <message>
      <source>Keys for the quick question</source>
      <translation>Tasten für die schnelle Frage</translation>
    </message>
    <message>
      <source>This system gives no program such keys.</source>
      <translation>Dieses System vergibt keine solchen Tasten.</translation>
    </message>
    <message>
      <source>Models and data</source>
      <translation>Modelle und Daten</translation>
    </message>
    <message>
      <source>{count} min</source>
      <translation>{count} min</translation>
    </message>
    <message>
      <source>Never</source>
      <translation>Nie</translation>
    </message>
    <message>
      <source>Free the model's memory when unused for</source>
      <translation>Speicher des Modells freigeben, wenn unbenutzt seit</translation>
    </message>
    <message>
      <source>Folder of the models</source>
      <translation>Ordner der Modelle</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>Öffnen</translation>
    </message>
    <message>
      <source>Open the data folder</source>
      <translation>Den Datenordner öffnen</translation>
    </message>
    <message>
      <source>Folder of chats and settings</source>
      <translation>Ordner der Chats und Einstellungen</translation>
    </message>
    <message>
      <source>No limit</source>
      <translation>Ohne Grenze</translation>
    </message>
    <message>
      <source>Tokens a model may think</source>
      <translation>Token, die ein Modell denken darf</translation>
    </message>
    <message>
      <source>Network</source>
      <translation>Netz</translation>
    </message>
    <message>
      <source>Offline: refuse every connection</source>
      <translation>Offline: jede Verbindung ablehnen</translation>
    </message>
    <message>
      <source>Pages of the settings</source>
      <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
      <source>Folders</source>
      <translation>Ordner</translation>
    </message>
    <message>
      <source>Open folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <source>Open the folder of the models</source>
      <translation>Ordner der Modelle öffnen</translation>
    </message>
    <message>
      <source>Models that are here work as always. Downloads wait until it is off.</source>
      <translation>Vorhandene Modelle laufen wie immer. Downloads warten, bis dies aus ist.</translation>
    </message>
    <message>
      <source>Contacted servers</source>
      <translation>Angesprochene Server</translation>
    </message>
    <message>
      <source>Every server that this program has ever contacted. Nothing else was sent.</source>
      <translation>Jeder Server, den dieses Programm je angesprochen hat. Sonst wurde nichts gesendet.</translation>
    </message>
    <message>
      <source>Read again</source>
      <translation>Neu lesen</translation>
    </message>
    <message>
      <source>When another device fails, answer once on the CPU</source>
      <translation>Versagt ein anderes Gerät, einmal auf der CPU antworten</translation>
    </message>
    <message>
      <source>Only where the model is certified on the CPU for that length.</source>
      <translation>Nur wo das Modell auf der CPU für diese Länge zertifiziert ist.</translation>
    </message>
    <message>
      <source>Move the models…</source>
      <translation>Modelle umziehen…</translation>
    </message>
    <message>
      <source>Choose the new folder of the models</source>
      <translation>Den neuen Ordner der Modelle wählen</translation>
    </message>
  </context>
  <context>
    <name>StatusLine</name>
    <message>
      <source>What is happening</source>
      <translation>Was gerade geschieht</translation>
    </message>
  </context>
  <context>
    <name>Transcript</name>
    <message>
      <source>Conversation</source>
      <translation>Gespräch</translation>
    </message>
    <message>
      <source>Show earlier messages</source>
      <translation>Frühere Nachrichten zeigen</translation>
    </message>
    <message>
      <source>To the latest message</source>
      <translation>Zur neuesten Nachricht</translation>
    </message>
  </context>
  <context>
    <name>Tray</name>
    <message>
      <source>Contenox</source>
      <translation>Contenox</translation>
    </message>
    <message>
      <source>Contenox is working</source>
      <translation>Contenox arbeitet</translation>
    </message>
    <message>
      <source>Contenox needs your attention</source>
      <translation>Contenox braucht Ihre Aufmerksamkeit</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>Öffnen</translation>
    </message>
    <message>
      <source>New chat</source>
      <translation>Neuer Chat</translation>
    </message>
    <message>
      <source>Quick question</source>
      <translation>Schnelle Frage</translation>
    </message>
    <message>
      <source>Quit</source>
      <translation>Beenden</translation>
    </message>
    <message>
      <source>Unload {model}</source>
      <translation>{model} entladen</translation>
    </message>
    <message>
      <source>Pause downloads</source>
      <translation>Downloads anhalten</translation>
    </message>
  </context>
  <context>
    <name>wording</name>
    <message>
      <source>Looking for models</source>
      <translation>Modelle werden gesucht</translation>
    </message>
    <message>
      <source>No model yet</source>
      <translation>Noch kein Modell</translation>
    </message>
    <message>
      <source>Getting the first model</source>
      <translation>Das erste Modell wird geholt</translation>
    </message>
    <message>
      <source>Starting the engine</source>
      <translation>Die Maschine startet</translation>
    </message>
    <message>
      <source>Answering</source>
      <translation>Antwortet</translation>
    </message>
    <message>
      <source>Stopping</source>
      <translation>Hält an</translation>
    </message>
    <message>
      <source>Loading {model}</source>
      <translation>{model} wird geladen</translation>
    </message>
    <message>
      <source>{reused} of {total} tokens already read</source>
      <translation>{reused} von {total} Token schon gelesen</translation>
    </message>
    <message>
      <source>Reading {total} tokens, {done} done</source>
      <translation>{total} Token werden gelesen, {done} fertig</translation>
    </message>
    <message>
      <source>Downloading</source>
      <translation>Wird geladen</translation>
    </message>
    <message>
      <source>Unpacking</source>
      <translation>Wird entpackt</translation>
    </message>
    <message>
      <source>Converting, this happens once</source>
      <translation>Wird umgewandelt, nur dieses eine Mal</translation>
    </message>
    <message>
      <source>Checking every byte</source>
      <translation>Jedes Byte wird geprüft</translation>
    </message>
    <message>
      <source>{done} of {total}</source>
      <translation>{done} von {total}</translation>
    </message>
    <message>
      <source>1 token</source>
      <translation>1 Token</translation>
    </message>
    <message>
      <source>{count} tokens</source>
      <translation>{count} Token</translation>
    </message>
    <message>
      <source>{rate} tokens/s</source>
      <translation>{rate} Token/s</translation>
    </message>
    <message>
      <source>Ended at the length limit</source>
      <translation>An der Längengrenze beendet</translation>
    </message>
    <message>
      <source>Stopped</source>
      <translation>Angehalten</translation>
    </message>
    <message>
      <source>Ended: it took too long</source>
      <translation>Beendet: es dauerte zu lange</translation>
    </message>
    <message>
      <source>Ended: the answer was going round in circles</source>
      <translation>Beendet: die Antwort drehte sich im Kreis</translation>
    </message>
    <message>
      <source>Ended: no word came any more</source>
      <translation>Beendet: es kam kein Wort mehr</translation>
    </message>
    <message>
      <source>Ended: the model's context is full</source>
      <translation>Beendet: der Kontext des Modells ist voll</translation>
    </message>
    <message>
      <source>Ended: the memory set aside for the answer is full</source>
      <translation>Beendet: der Speicher für die Antwort ist voll</translation>
    </message>
    <message>
      <source>The model thought, but did not answer</source>
      <translation>Das Modell hat nachgedacht, aber nicht geantwortet</translation>
    </message>
    <message>
      <source>Interrupted</source>
      <translation>Unterbrochen</translation>
    </message>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Revision</source>
      <translation>Fassung</translation>
    </message>
    <message>
      <source>Device</source>
      <translation>Gerät</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <source>Prompt</source>
      <translation>Eingabe</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>Antwort</translation>
    </message>
    <message>
      <source>Loading</source>
      <translation>Laden</translation>
    </message>
    <message>
      <source>First word after</source>
      <translation>Erstes Wort nach</translation>
    </message>
    <message>
      <source>Reading speed</source>
      <translation>Lesetempo</translation>
    </message>
    <message>
      <source>Writing speed</source>
      <translation>Schreibtempo</translation>
    </message>
    <message>
      <source>Ended</source>
      <translation>Ende</translation>
    </message>
    <message>
      <source>By itself</source>
      <translation>Von selbst</translation>
    </message>
    <message>
      <source>{counted}, {reused} of them reused</source>
      <translation>{counted}, davon {reused} wiederverwendet</translation>
    </message>
    <message>
      <source>The engine stopped unexpectedly.</source>
      <translation>Die Maschine hat unerwartet angehalten.</translation>
    </message>
    <message>
      <source>What was written is safe. You can go on from here.</source>
      <translation>Das Geschriebene ist sicher. Hier geht es weiter.</translation>
    </message>
    <message>
      <source>Your message is safe. You can try again.</source>
      <translation>Ihre Nachricht ist sicher. Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>{count} tokens of context</source>
      <translation>{count} Token Kontext</translation>
    </message>
    <message>
      <source>The message was deleted.</source>
      <translation>Die Nachricht wurde gelöscht.</translation>
    </message>
    <message>
      <source>{count} messages were deleted.</source>
      <translation>{count} Nachrichten wurden gelöscht.</translation>
    </message>
    <message>
      <source>The answer was going round in circles and was stopped.</source>
      <translation>Die Antwort drehte sich im Kreis und wurde angehalten.</translation>
    </message>
    <message>
      <source>What was written stays. Trying again leaves the model more freedom, with other words.</source>
      <translation>Was geschrieben wurde, bleibt. Ein neuer Versuch lässt dem Modell mehr Freiheit, mit anderen Worten.</translation>
    </message>
    <message>
      <source>{count} chats were imported.</source>
      <translation>{count} Chats wurden importiert.</translation>
    </message>
    <message>
      <source>Written on the {device} after {other} had failed</source>
      <translation>Auf {device} geschrieben, nachdem {other} versagt hatte</translation>
    </message>
    <message>
      <source>{device} failed. The CPU took over this answer.</source>
      <translation>{device} hat versagt. Die CPU hat diese Antwort übernommen.</translation>
    </message>
    <message>
      <source>{error} What was written before stays.</source>
      <translation>{error} Was schon geschrieben war, bleibt.</translation>
    </message>
    <message>
      <source>Failed before</source>
      <translation>Zuvor versagt</translation>
    </message>
    <message>
      <source>Summarising the {count} oldest messages</source>
      <translation>Die {count} ältesten Nachrichten werden zusammengefasst</translation>
    </message>
    <message>
      <source>{counted}, {reused} of them reused ({predicted} were predicted)</source>
      <translation>{counted}, davon {reused} wiederverwendet ({predicted} waren vorhergesagt)</translation>
    </message>
  </context>
  <context>
    <name>settings</name>
    <message>
      <source>The model that a new chat uses.</source>
      <translation>Das Modell eines neuen Chats.</translation>
    </message>
    <message>
      <source>The device that runs models; empty means automatic.</source>
      <translation>Das Gerät, auf dem Modelle laufen; leer heißt automatisch.</translation>
    </message>
    <message>
      <source>The folder that holds the models; empty means the default.</source>
      <translation>Der Ordner der Modelle; leer heißt der übliche.</translation>
    </message>
    <message>
      <source>Seconds until an unused model is unloaded; 0 means never.</source>
      <translation>Sekunden, nach denen ein unbenutztes Modell entladen wird; 0 heißt nie.</translation>
    </message>
    <message>
      <source>Closing the window keeps the program in the tray.</source>
      <translation>Nach dem Schließen des Fensters läuft das Programm im Infobereich weiter.</translation>
    </message>
    <message>
      <source>The colours of the window.</source>
      <translation>Die Farben des Fensters.</translation>
    </message>
    <message>
      <source>The language of the window; empty means the system's.</source>
      <translation>Die Sprache des Fensters; leer heißt die des Systems.</translation>
    </message>
    <message>
      <source>The keys that open the quick question from anywhere; empty means none.</source>
      <translation>Die Tasten, die von überall die schnelle Frage öffnen; leer heißt keine.</translation>
    </message>
    <message>
      <source>Where the window was, as Qt wrote it.</source>
      <translation>Wo das Fenster war, wie Qt es schrieb.</translation>
    </message>
    <message>
      <source>Whether the person has been told what closing the window does.</source>
      <translation>Ob schon gesagt wurde, was das Schließen des Fensters bewirkt.</translation>
    </message>
    <message>
      <source>Most tokens a model may think before its answer; 0 means no limit.</source>
      <translation>Wie viele Token ein Modell vor seiner Antwort höchstens denken darf; 0 heißt ohne Grenze.</translation>
    </message>
    <message>
      <source>Nothing is downloaded and no server is asked for anything.</source>
      <translation>Nichts wird heruntergeladen und kein Server nach etwas gefragt.</translation>
    </message>
    <message>
      <source>An answer that fails on another device is tried once more on the CPU, if the model is certified there for that length.</source>
      <translation>Eine Antwort, die auf einem anderen Gerät scheitert, wird einmal auf der CPU versucht, wenn das Modell dort für diese Länge zertifiziert ist.</translation>
    </message>
  </context>
  <context>
    <name>MessageBlock</name>
    <message>
      <source>Delete from here on</source>
      <translation>Ab hier löschen</translation>
    </message>
    <message>
      <source>The model does not read this any more</source>
      <translation>Das liest das Modell nicht mehr</translation>
    </message>
  </context>
  <context>
    <name>ModelCard</name>
    <message>
      <source>Speed: not measured yet</source>
      <translation>Tempo: noch nicht gemessen</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Fortschritt</translation>
    </message>
    <message>
      <source>Get and chat</source>
      <translation>Holen und chatten</translation>
    </message>
    <message>
      <source>Pause</source>
      <translation>Anhalten</translation>
    </message>
    <message>
      <source>Resume</source>
      <translation>Fortsetzen</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <source>{size} to download</source>
      <translation>{size} zum Herunterladen</translation>
    </message>
    <message>
      <source>Get {model} and chat</source>
      <translation>{model} holen und chatten</translation>
    </message>
    <message>
      <source>{rate} tokens/s measured</source>
      <translation>{rate} Token/s gemessen</translation>
    </message>
    <message>
      <source>{rate} tokens/s</source>
      <translation>{rate} Token/s</translation>
    </message>
  </context>
  <context>
    <name>ChipRow</name>
    <message>
      <source>Fits here</source>
      <translation>Passt hier</translation>
    </message>
    <message>
      <source>Models that fit into the free memory</source>
      <translation>Modelle, die in den freien Speicher passen</translation>
    </message>
    <message>
      <source>Installed</source>
      <translation>Installiert</translation>
    </message>
    <message>
      <source>Models that are here or on their way</source>
      <translation>Modelle, die hier oder unterwegs sind</translation>
    </message>
    <message>
      <source>Small</source>
      <translation>Klein</translation>
    </message>
    <message>
      <source>Downloads of at most 2 GB</source>
      <translation>Höchstens 2 GB zum Herunterladen</translation>
    </message>
    <message>
      <source>Chat</source>
      <translation>Chat</translation>
    </message>
    <message>
      <source>Models for conversation</source>
      <translation>Modelle für Gespräche</translation>
    </message>
    <message>
      <source>Coding</source>
      <translation>Programmieren</translation>
    </message>
    <message>
      <source>Models for programming</source>
      <translation>Modelle zum Programmieren</translation>
    </message>
    <message>
      <source>Reasoning</source>
      <translation>Nachdenken</translation>
    </message>
    <message>
      <source>Models that think step by step</source>
      <translation>Modelle, die Schritt für Schritt denken</translation>
    </message>
  </context>
  <context>
    <name>ModelsDesk</name>
    <message>
      <source>{size} are free when Contenox quits. Until then it can come back.</source>
      <translation>{size} werden frei, wenn Contenox beendet wird. Bis dahin kann es zurückkommen.</translation>
    </message>
    <message>
      <source>{model} is deleted</source>
      <translation>{model} ist gelöscht</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>Rückgängig</translation>
    </message>
    <message>
      <source>Every byte of every file is what it was when the model came.</source>
      <translation>Jedes Byte jeder Datei ist, wie es ankam.</translation>
    </message>
    <message>
      <source>{model} is installed</source>
      <translation>{model} ist installiert</translation>
    </message>
    <message>
      <source>{model} is whole</source>
      <translation>{model} ist unversehrt</translation>
    </message>
    <message>
      <source>The model is imported</source>
      <translation>Das Modell ist importiert</translation>
    </message>
    <message>
      <source>Its files were checked, and their digests are recorded.</source>
      <translation>Seine Dateien sind geprüft und ihre Prüfsummen festgehalten.</translation>
    </message>
    <message>
      <source>The models were moved</source>
      <translation>Die Modelle sind umgezogen</translation>
    </message>
  </context>
  <context>
    <name>DetailPane</name>
    <message>
      <source>the newest at the download</source>
      <translation>die neueste beim Herunterladen</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>Einzelheiten</translation>
    </message>
    <message>
      <source>About</source>
      <translation>Über das Modell</translation>
    </message>
    <message>
      <source>Can do</source>
      <translation>Kann</translation>
    </message>
    <message>
      <source>Files</source>
      <translation>Dateien</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Fortschritt</translation>
    </message>
    <message>
      <source>Tokens/s</source>
      <translation>Token/s</translation>
    </message>
    <message>
      <source>Trust</source>
      <translation>Vertrauen</translation>
    </message>
    <message>
      <source>Licence</source>
      <translation>Lizenz</translation>
    </message>
    <message>
      <source>Publisher</source>
      <translation>Herausgeber</translation>
    </message>
    <message>
      <source>Repository</source>
      <translation>Repository</translation>
    </message>
    <message>
      <source>Revision</source>
      <translation>Revision</translation>
    </message>
    <message>
      <source>Where from</source>
      <translation>Herkunft</translation>
    </message>
    <message>
      <source>On disk</source>
      <translation>Auf der Platte</translation>
    </message>
    <message>
      <source>Yes</source>
      <translation>Ja</translation>
    </message>
    <message>
      <source>No</source>
      <translation>Nein</translation>
    </message>
    <message>
      <source>measured</source>
      <translation>gemessen</translation>
    </message>
    <message>
      <source>not measured</source>
      <translation>nicht gemessen</translation>
    </message>
    <message>
      <source>Licence {name}</source>
      <translation>Lizenz {name}</translation>
    </message>
    <message>
      <source>Files ({count}, {size})</source>
      <translation>Dateien ({count}, {size})</translation>
    </message>
    <message>
      <source>Reading a prompt</source>
      <translation>Prompt lesen</translation>
    </message>
  </context>
  <context>
    <name>models</name>
    <message>
      <source>not measured</source>
      <translation>nicht gemessen</translation>
    </message>
    <message>
      <source>imported, not curated</source>
      <translation>importiert, nicht geprüft</translation>
    </message>
    <message>
      <source>fits</source>
      <translation>passt</translation>
    </message>
    <message>
      <source>tight</source>
      <translation>knapp</translation>
    </message>
    <message>
      <source>does not fit</source>
      <translation>passt nicht</translation>
    </message>
    <message>
      <source>unknown</source>
      <translation>unbekannt</translation>
    </message>
    <message>
      <source>Fits on this computer</source>
      <translation>Passt auf diesen Computer</translation>
    </message>
    <message>
      <source>Fits, with little to spare</source>
      <translation>Passt, aber knapp</translation>
    </message>
    <message>
      <source>Does not fit on this computer</source>
      <translation>Passt nicht auf diesen Computer</translation>
    </message>
    <message>
      <source>Not known whether it fits</source>
      <translation>Es ist nicht bekannt, ob es passt</translation>
    </message>
    <message>
      <source>{weights} weights + {context} context + {working} working space = {needed}, {usable} can be used</source>
      <translation>{weights} Gewichte + {context} Kontext + {working} Arbeitsspeicher = {needed}, {usable} sind nutzbar</translation>
    </message>
    <message>
      <source>Context, {count} tokens</source>
      <translation>Kontext, {count} Token</translation>
    </message>
    <message>
      <source>Weights</source>
      <translation>Gewichte</translation>
    </message>
    <message>
      <source>Working space</source>
      <translation>Arbeitsspeicher</translation>
    </message>
    <message>
      <source>Together</source>
      <translation>Zusammen</translation>
    </message>
    <message>
      <source>Can be used here</source>
      <translation>Hier nutzbar</translation>
    </message>
    <message>
      <source>Context</source>
      <translation>Kontext</translation>
    </message>
    <message>
      <source>Queued</source>
      <translation>In der Schlange</translation>
    </message>
    <message>
      <source>Waiting</source>
      <translation>Wartet</translation>
    </message>
    <message>
      <source>Downloading</source>
      <translation>Lädt</translation>
    </message>
    <message>
      <source>Checking</source>
      <translation>Prüft</translation>
    </message>
    <message>
      <source>Paused</source>
      <translation>Angehalten</translation>
    </message>
    <message>
      <source>Failed</source>
      <translation>Fehlgeschlagen</translation>
    </message>
    <message>
      <source>Installed</source>
      <translation>Installiert</translation>
    </message>
    <message>
      <source>Damaged</source>
      <translation>Beschädigt</translation>
    </message>
    <message>
      <source>Drive not there</source>
      <translation>Laufwerk fehlt</translation>
    </message>
    <message>
      <source>{done} of {total}</source>
      <translation>{done} von {total}</translation>
    </message>
    <message>
      <source>{time} left</source>
      <translation>noch {time}</translation>
    </message>
    <message>
      <source>It starts when the downloads before it are done.</source>
      <translation>Es beginnt, wenn die Downloads davor fertig sind.</translation>
    </message>
    <message>
      <source>The drive that holds this model isn't connected.</source>
      <translation>Das Laufwerk mit diesem Modell ist nicht angeschlossen.</translation>
    </message>
    <message>
      <source>Connect it; the model is there again then.</source>
      <translation>Schließen Sie es an; dann ist das Modell wieder da.</translation>
    </message>
    <message>
      <source>Pause</source>
      <translation>Anhalten</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Abbrechen</translation>
    </message>
    <message>
      <source>Chat</source>
      <translation>Chat</translation>
    </message>
    <message>
      <source>Verify</source>
      <translation>Prüfen</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>Stopp</translation>
    </message>
    <message>
      <source>Open folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <source>Get it again</source>
      <translation>Neu holen</translation>
    </message>
    <message>
      <source>Delete, frees {size}</source>
      <translation>Löschen, gibt {size} frei</translation>
    </message>
    <message>
      <source>Get, {size}</source>
      <translation>Holen, {size}</translation>
    </message>
    <message>
      <source>Resume</source>
      <translation>Fortsetzen</translation>
    </message>
    <message>
      <source>Take the new version</source>
      <translation>Die neue Version nehmen</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal versuchen</translation>
    </message>
    <message>
      <source>First use: what the first download brings is recorded, and other bytes are refused ever after.</source>
      <translation>Erster Gebrauch: Was der erste Download bringt, wird festgehalten; andere Bytes werden danach abgelehnt.</translation>
    </message>
    <message>
      <source>You brought these files; nobody else vouches for them.</source>
      <translation>Diese Dateien stammen von Ihnen; niemand sonst bürgt für sie.</translation>
    </message>
    <message>
      <source>Pinned: the list knows every byte, and other bytes are refused.</source>
      <translation>Festgelegt: Die Liste kennt jedes Byte; andere werden abgelehnt.</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>Werkzeuge</translation>
    </message>
    <message>
      <source>Thinking</source>
      <translation>Nachdenken</translation>
    </message>
    <message>
      <source>Embeddings</source>
      <translation>Einbettungen</translation>
    </message>
    <message>
      <source>Coding</source>
      <translation>Programmieren</translation>
    </message>
    <message>
      <source>Reasoning</source>
      <translation>Nachdenken</translation>
    </message>
    <message>
      <source>First try</source>
      <translation>Erster Versuch</translation>
    </message>
    <message>
      <source>Models {models} · {free} free, {reserve} of them stay in reserve</source>
      <translation>Modelle {models} · {free} frei, davon bleiben {reserve} als Reserve</translation>
    </message>
    <message>
      <source>expected {range}</source>
      <translation>erwartet {range}</translation>
    </message>
    <message>
      <source>{count} tokens need a KV cache of {kv}, and the pool that the program or the profile sets is smaller.</source>
      <translation>{count} Token brauchen einen KV-Cache von {kv}, und der Vorrat, den das Programm oder das Profil festlegt, ist kleiner.</translation>
    </message>
  </context>
  <context>
    <name>LongJob</name>
    <message>
      <source>Stop</source>
      <translation>Stopp</translation>
    </message>
    <message>
      <source>{done} of {total}</source>
      <translation>{done} von {total}</translation>
    </message>
  </context>
  <context>
    <name>ModelTable</name>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Good at</source>
      <translation>Gut für</translation>
    </message>
    <message>
      <source>Size</source>
      <translation>Größe</translation>
    </message>
    <message>
      <source>Context</source>
      <translation>Kontext</translation>
    </message>
    <message>
      <source>Runs with</source>
      <translation>Läuft mit</translation>
    </message>
    <message>
      <source>Fits here</source>
      <translation>Passt hier</translation>
    </message>
    <message>
      <source>Tokens/s</source>
      <translation>Token/s</translation>
    </message>
    <message>
      <source>State</source>
      <translation>Stand</translation>
    </message>
  </context>
  <context>
    <name>ModelsWindow</name>
    <message>
      <source>Models</source>
      <translation>Modelle</translation>
    </message>
    <message>
      <source>Search models</source>
      <translation>Modelle suchen</translation>
    </message>
    <message>
      <source>Import</source>
      <translation>Importieren</translation>
    </message>
    <message>
      <source>A model's folder…</source>
      <translation>Den Ordner eines Modells…</translation>
    </message>
    <message>
      <source>A GGUF file…</source>
      <translation>Eine GGUF-Datei…</translation>
    </message>
    <message>
      <source>Move the models…</source>
      <translation>Modelle umziehen…</translation>
    </message>
    <message>
      <source>No model matches</source>
      <translation>Kein Modell passt dazu</translation>
    </message>
    <message>
      <source>Show all models</source>
      <translation>Alle Modelle zeigen</translation>
    </message>
  </context>
  <context>
    <name>BackupsPage</name>
    <message>
      <source>The chats are copied once a day; the copies of the last seven days are kept. Before you go back to one, the present chats are copied as well.</source>
      <translation>Die Chats werden einmal am Tag kopiert; die Kopien der letzten sieben Tage bleiben. Bevor Sie zu einer zurückgehen, werden auch die jetzigen Chats kopiert.</translation>
    </message>
    <message>
      <source>Copies of the chats</source>
      <translation>Kopien der Chats</translation>
    </message>
    <message>
      <source>Go back to this copy</source>
      <translation>Zu dieser Kopie zurückgehen</translation>
    </message>
    <message>
      <source>Open folder</source>
      <translation>Ordner öffnen</translation>
    </message>
    <message>
      <source>There is no copy yet; the first is made soon.</source>
      <translation>Es gibt noch keine Kopie; die erste entsteht gleich.</translation>
    </message>
    <message>
      <source>daily</source>
      <translation>täglich</translation>
    </message>
    <message>
      <source>before an update</source>
      <translation>vor einer Aktualisierung</translation>
    </message>
    <message>
      <source>before going back</source>
      <translation>vor dem Zurückgehen</translation>
    </message>
    <message>
      <source>Damaged entries that were mended: {count}</source>
      <translation>Beschädigte Einträge, die repariert wurden: {count}</translation>
    </message>
    <message>
      <source>Going back…</source>
      <translation>Es geht zurück …</translation>
    </message>
    <message>
      <source>The chats are as they were on {time}. The copy “before going back” undoes it.</source>
      <translation>Die Chats sind wie am {time}. Die Kopie „vor dem Zurückgehen“ macht es rückgängig.</translation>
    </message>
  </context>
  <context>
    <name>Notices</name>
    <message>
      <source>Put this away</source>
      <translation>Wegräumen</translation>
    </message>
  </context>
  <context>
    <name>ChatCare</name>
    <message>
      <source>The chats are being mended</source>
      <translation>Die Chats werden repariert</translation>
    </message>
    <message>
      <source>Their file is damaged. What can be read is carried over; this may take a minute.</source>
      <translation>Die Datei ist beschädigt. Was lesbar ist, wird übernommen; das kann eine Minute dauern.</translation>
    </message>
    <message>
      <source>{chats} chats with {messages} messages were carried over, {lost} entries could not be read. The damaged file was kept as {file}.</source>
      <translation>{chats} Chats mit {messages} Nachrichten wurden übernommen, {lost} Einträge waren nicht lesbar. Die beschädigte Datei bleibt als {file} erhalten.</translation>
    </message>
    <message>
      <source>The file of the chats was damaged</source>
      <translation>Die Datei der Chats war beschädigt</translation>
    </message>
    <message>
      <source>The file of the chats is gone</source>
      <translation>Die Datei der Chats ist weg</translation>
    </message>
    <message>
      <source>A new one was begun. There is a copy of the old one.</source>
      <translation>Eine neue wurde angefangen. Von der alten gibt es eine Kopie.</translation>
    </message>
    <message>
      <source>Use the copy of {time}</source>
      <translation>Kopie vom {time} nehmen</translation>
    </message>
    <message>
      <source>The chats are as they were on {time}</source>
      <translation>Die Chats sind wie am {time}</translation>
    </message>
    <message>
      <source>What was there before is kept as a copy.</source>
      <translation>Was vorher da war, ist als Kopie erhalten.</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>Rückgängig</translation>
    </message>
    <message>
      <source>Today's copy of the chats could not be made</source>
      <translation>Die heutige Kopie der Chats ist nicht gelungen</translation>
    </message>
  </context>
  <context>
    <name>ContactsTable</name>
    <message>
      <source>Contacted servers</source>
      <translation>Angesprochene Server</translation>
    </message>
    <message>
      <source>Server</source>
      <translation>Server</translation>
    </message>
    <message>
      <source>Why</source>
      <translation>Wozu</translation>
    </message>
    <message>
      <source>Last at</source>
      <translation>Zuletzt</translation>
    </message>
    <message>
      <source>Requests</source>
      <translation>Anfragen</translation>
    </message>
    <message>
      <source>Received</source>
      <translation>Empfangen</translation>
    </message>
    <message>
      <source>model files</source>
      <translation>Modelldateien</translation>
    </message>
    <message>
      <source>model information</source>
      <translation>Angaben zu Modellen</translation>
    </message>
    <message>
      <source>starter model</source>
      <translation>erstes Modell</translation>
    </message>
  </context>
  <context>
    <name>Citizen</name>
    <message>
      <source>Backups</source>
      <translation>Sicherungen</translation>
    </message>
    <message>
      <source>Diagnostics</source>
      <translation>Diagnose</translation>
    </message>
  </context>
  <context>
    <name>DiagnosticsPage</name>
    <message>
      <source>If something goes wrong, this makes a file that you can send to who helps you. It holds versions, devices, settings, counts and the ends of the logs: no chat text. Your name and folders are replaced. You see all of it first.</source>
      <translation>Wenn etwas nicht klappt, entsteht hier eine Datei für jemanden, der Ihnen hilft. Darin sind Versionen, Geräte, Einstellungen, Zahlen und das Ende der Protokolle, aber keinen Chat-Text. Ihr Name und Ihre Ordner werden ersetzt. Sie sehen vorher alles.</translation>
    </message>
    <message>
      <source>Collect and show</source>
      <translation>Sammeln und zeigen</translation>
    </message>
    <message>
      <source>Save…</source>
      <translation>Speichern …</translation>
    </message>
    <message>
      <source>Parts of the file</source>
      <translation>Teile der Datei</translation>
    </message>
    <message>
      <source>What this part holds</source>
      <translation>Was dieser Teil enthält</translation>
    </message>
    <message>
      <source>Collecting…</source>
      <translation>Es wird gesammelt …</translation>
    </message>
    <message>
      <source>Save the diagnostic file</source>
      <translation>Diagnose-Datei speichern</translation>
    </message>
    <message>
      <source>Saved as {file}</source>
      <translation>Gespeichert als {file}</translation>
    </message>
  </context>
  <context>
    <name>SamplingForm</name>
    <message>
      <source>Temperature</source>
      <translation>Temperatur</translation>
    </message>
    <message>
      <source>0 always takes the likeliest word; 0.7 is lively.</source>
      <translation>0 ist immer gleich; 0,7 ist lebhaft.</translation>
    </message>
    <message>
      <source>Top p</source>
      <translation>Top p</translation>
    </message>
    <message>
      <source>Only words that together have this chance.</source>
      <translation>Nur Wörter mit zusammen dieser Chance.</translation>
    </message>
    <message>
      <source>Top k</source>
      <translation>Top k</translation>
    </message>
    <message>
      <source>Only this many of the likeliest words; 0 means all.</source>
      <translation>Nur so viele beste Wörter; 0 heißt alle.</translation>
    </message>
    <message>
      <source>Min p</source>
      <translation>Min p</translation>
    </message>
    <message>
      <source>Only words with this share of the best one's chance.</source>
      <translation>Nur Wörter mit diesem Anteil des besten.</translation>
    </message>
    <message>
      <source>Repetition penalty</source>
      <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
      <source>1 is none; 1.1 makes said words less likely.</source>
      <translation>1 ist keine; 1,1 meidet schon Gesagtes.</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <source>The same seed gives the same answer again.</source>
      <translation>Derselbe Startwert ergibt wieder dieselbe Antwort.</translation>
    </message>
    <message>
      <source>Longest answer</source>
      <translation>Längste Antwort</translation>
    </message>
    <message>
      <source>In tokens; a token is about three quarters of a word.</source>
      <translation>In Token; je etwa ein dreiviertel Wort.</translation>
    </message>
  </context>
  <context>
    <name>PresetDialog</name>
    <message>
      <source>Presets</source>
      <translation>Vorlagen</translation>
    </message>
    <message>
      <source>New preset</source>
      <translation>Neue Vorlage</translation>
    </message>
    <message>
      <source>Delete this preset</source>
      <translation>Diese Vorlage löschen</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>Name</translation>
    </message>
    <message>
      <source>System prompt</source>
      <translation>Systemanweisung</translation>
    </message>
    <message>
      <source>You are a patient teacher. Answer briefly.</source>
      <translation>Du bist ein geduldiger Lehrer. Antworte kurz.</translation>
    </message>
    <message>
      <source>How words are chosen</source>
      <translation>Wie Wörter gewählt werden</translation>
    </message>
    <message>
      <source>An empty field is the model's own default.</source>
      <translation>Ein leeres Feld ist die Voreinstellung des Modells.</translation>
    </message>
    <message>
      <source>Done</source>
      <translation>Fertig</translation>
    </message>
  </context>
  <context>
    <name>PresetChooser</name>
    <message>
      <source>Preset</source>
      <translation>Vorlage</translation>
    </message>
    <message>
      <source>The preset: a system prompt and how words are chosen</source>
      <translation>Die Vorlage: eine Systemanweisung und wie Wörter gewählt werden</translation>
    </message>
    <message>
      <source>No preset</source>
      <translation>Keine Vorlage</translation>
    </message>
    <message>
      <source>Edit presets…</source>
      <translation>Vorlagen bearbeiten…</translation>
    </message>
  </context>
  <context>
    <name>Exchange</name>
    <message>
      <source>Export the chat</source>
      <translation>Chat exportieren</translation>
    </message>
    <message>
      <source>Markdown, to read (*.md)</source>
      <translation>Markdown, zum Lesen (*.md)</translation>
    </message>
    <message>
      <source>JSON, to import again (*.json)</source>
      <translation>JSON, zum Wiedereinlesen (*.json)</translation>
    </message>
    <message>
      <source>PDF, to print (*.pdf)</source>
      <translation>PDF, zum Drucken (*.pdf)</translation>
    </message>
    <message>
      <source>Import chats</source>
      <translation>Chats importieren</translation>
    </message>
    <message>
      <source>Exported chats (*.json)</source>
      <translation>Exportierte Chats (*.json)</translation>
    </message>
    <message>
      <source>All files (*)</source>
      <translation>Alle Dateien (*)</translation>
    </message>
  </context>
  <context>
    <name>Errands</name>
    <message>
      <source>Choose the folder of a model</source>
      <translation>Den Ordner eines Modells wählen</translation>
    </message>
    <message>
      <source>Choose a GGUF file</source>
      <translation>Eine GGUF-Datei wählen</translation>
    </message>
    <message>
      <source>Choose the new folder of the models</source>
      <translation>Den neuen Ordner der Modelle wählen</translation>
    </message>
    <message>
      <source>Importing {name}</source>
      <translation>{name} wird importiert</translation>
    </message>
    <message>
      <source>Moving the models to {folder}</source>
      <translation>Die Modelle ziehen nach {folder} um</translation>
    </message>
  </context>
  <context>
    <name>ModelView</name>
    <message>
      <source>Models</source>
      <translation>Modelle</translation>
    </message>
  </context>
  <context>
    <name>SecondThoughts</name>
    <message>
      <source>This can be undone for 30 days.</source>
      <translation>Das lässt sich 30 Tage lang rückgängig machen.</translation>
    </message>
    <message>
      <source>Undo</source>
      <translation>Rückgängig</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal versuchen</translation>
    </message>
  </context>
  <context>
    <name>MeasuredDesk</name>
    <message>
      <source>An answer is being written</source>
      <translation>Gerade entsteht eine Antwort</translation>
    </message>
    <message>
      <source>Measure when it is done: both at once would measure neither.</source>
      <translation>Messen Sie, wenn sie fertig ist: beides zugleich misst keines von beiden.</translation>
    </message>
    <message>
      <source>Export what was measured</source>
      <translation>Messungen exportieren</translation>
    </message>
    <message>
      <source>It was exported.</source>
      <translation>Es wurde exportiert.</translation>
    </message>
    <message>
      <source>{model} on {device}: {level}</source>
      <translation>{model} auf {device}: {level}</translation>
    </message>
    <message>
      <source>Every check was passed and every figure was measured.</source>
      <translation>Jede Prüfung wurde bestanden, und jede Zahl ist gemessen.</translation>
    </message>
    <message>
      <source>What is finished is kept for twelve hours.</source>
      <translation>Was fertig ist, bleibt zwölf Stunden lang erhalten.</translation>
    </message>
    <message>
      <source>Your chat goes first. What is finished is kept.</source>
      <translation>Ihr Chat geht vor. Was fertig ist, bleibt erhalten.</translation>
    </message>
    <message>
      <source>The measurement was stopped</source>
      <translation>Die Messung wurde angehalten</translation>
    </message>
    <message>
      <source>Go on</source>
      <translation>Fortfahren</translation>
    </message>
  </context>
  <context>
    <name>MeasuredStation</name>
    <message>
      <source>{model} was never checked on {device}</source>
      <translation>{model} wurde auf {device} noch nie geprüft</translation>
    </message>
    <message>
      <source>Until its answers are checked there, automatic means the processor. The quick check takes about a minute.</source>
      <translation>Bis seine Antworten dort geprüft sind, heißt „automatisch“ der Prozessor. Die Kurzprüfung dauert etwa eine Minute.</translation>
    </message>
    <message>
      <source>Check it now</source>
      <translation>Jetzt prüfen</translation>
    </message>
    <message>
      <source>{model} runs with {taken}</source>
      <translation>{model} läuft mit {taken}</translation>
    </message>
  </context>
  <context>
    <name>MeasuredTable</name>
    <message>
      <source>Model</source>
      <translation>Modell</translation>
    </message>
    <message>
      <source>Device</source>
      <translation>Gerät</translation>
    </message>
    <message>
      <source>Result</source>
      <translation>Ergebnis</translation>
    </message>
    <message>
      <source>Decode</source>
      <translation>Decode</translation>
    </message>
    <message>
      <source>Prefill</source>
      <translation>Prefill</translation>
    </message>
    <message>
      <source>Ratio</source>
      <translation>Anteil</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Speicher</translation>
    </message>
    <message>
      <source>Context</source>
      <translation>Kontext</translation>
    </message>
    <message>
      <source>Date</source>
      <translation>Datum</translation>
    </message>
    <message>
      <source>Today</source>
      <translation>Heute</translation>
    </message>
  </context>
  <context>
    <name>MeasuredWindow</name>
    <message>
      <source>Measured on this computer</source>
      <translation>Auf diesem Rechner gemessen</translation>
    </message>
    <message>
      <source>Certificates</source>
      <translation>Zertifikate</translation>
    </message>
    <message>
      <source>Nothing was measured here yet</source>
      <translation>Hier wurde noch nichts gemessen</translation>
    </message>
    <message>
      <source>Choose a model above. The quick check takes about a minute and says whether its answers are sound on this computer, and how fast they come. Certifying takes longer and measures more thoroughly, at every depth of the context.</source>
      <translation>Wählen Sie oben ein Modell. Die Kurzprüfung dauert etwa eine Minute und sagt, ob seine Antworten auf diesem Rechner stimmen und wie schnell sie kommen. Das Zertifizieren dauert länger und misst gründlicher, in jeder Tiefe des Kontexts.</translation>
    </message>
  </context>
  <context>
    <name>measured</name>
    <message>
      <source>Certified</source>
      <translation>Zertifiziert</translation>
    </message>
    <message>
      <source>Provisional</source>
      <translation>Vorläufig</translation>
    </message>
    <message>
      <source>Failed</source>
      <translation>Nicht bestanden</translation>
    </message>
    <message>
      <source>Holds</source>
      <translation>Gilt</translation>
    </message>
    <message>
      <source>Outdated: {reason}</source>
      <translation>Überholt: {reason}</translation>
    </message>
    <message>
      <source>the model's files are others now</source>
      <translation>die Dateien des Modells sind andere</translation>
    </message>
    <message>
      <source>the model's profile changed</source>
      <translation>das Profil des Modells hat sich geändert</translation>
    </message>
    <message>
      <source>another library runs it now</source>
      <translation>eine andere Bibliothek führt es aus</translation>
    </message>
    <message>
      <source>the library was updated</source>
      <translation>die Bibliothek wurde aktualisiert</translation>
    </message>
    <message>
      <source>the device is another one</source>
      <translation>das Gerät ist ein anderes</translation>
    </message>
    <message>
      <source>the device is gone, or another one</source>
      <translation>das Gerät fehlt oder ist ein anderes</translation>
    </message>
    <message>
      <source>the driver changed</source>
      <translation>der Treiber hat sich geändert</translation>
    </message>
    <message>
      <source>another pipeline runs it now</source>
      <translation>eine andere Pipeline führt es aus</translation>
    </message>
    <message>
      <source>the model isn't installed</source>
      <translation>das Modell ist nicht installiert</translation>
    </message>
    <message>
      <source>{model} on {device}</source>
      <translation>{model} auf {device}</translation>
    </message>
    <message>
      <source>{count} cores</source>
      <translation>{count} Kerne</translation>
    </message>
    <message>
      <source>about {time}</source>
      <translation>etwa {time}</translation>
    </message>
    <message>
      <source>{count} min</source>
      <translation>{count} min</translation>
    </message>
    <message>
      <source>Checking the answers: {name}</source>
      <translation>Antworten werden geprüft: {name}</translation>
    </message>
    <message>
      <source>Measuring with {count} tokens</source>
      <translation>Messung mit {count} Token</translation>
    </message>
    <message>
      <source>Loading the model</source>
      <translation>Das Modell wird geladen</translation>
    </message>
    <message>
      <source>Finding out how long it takes</source>
      <translation>Die Dauer wird ermittelt</translation>
    </message>
    <message>
      <source>Measuring what is reused</source>
      <translation>Gemessen wird, was wiederverwendet wird</translation>
    </message>
    <message>
      <source>Measuring how fast a stop is</source>
      <translation>Gemessen wird, wie schnell ein Abbruch ist</translation>
    </message>
    <message>
      <source>Looking whether the machine stayed the same</source>
      <translation>Blieb der Rechner derselbe?</translation>
    </message>
    <message>
      <source>tokens/s against prompt tokens; dashed: the bare library</source>
      <translation>Token/s nach Prompt-Token; gestrichelt: die bloße Bibliothek</translation>
    </message>
    <message>
      <source>Decode: writing the answer</source>
      <translation>Decode: die Antwort schreiben</translation>
    </message>
    <message>
      <source>Prefill: reading the prompt</source>
      <translation>Prefill: den Prompt lesen</translation>
    </message>
    <message>
      <source>Against the bare library</source>
      <translation>Gegen die bloße Bibliothek</translation>
    </message>
    <message>
      <source>share of its decode rate; {needed} is needed</source>
      <translation>Anteil an ihrer Decode-Rate; nötig ist {needed}</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Speicher</translation>
    </message>
    <message>
      <source>most of the engine's memory in use, in MB</source>
      <translation>größter Speicherbedarf der Engine in MB</translation>
    </message>
    <message>
      <source>The program chose it by what was measured here, in tokens/s: {figures}.</source>
      <translation>Das Programm hat es nach dem gewählt, was hier gemessen wurde, in Token/s: {figures}.</translation>
    </message>
    <message>
      <source>The check “{check}” failed: {detail}</source>
      <translation>Die Prüfung „{check}“ wurde nicht bestanden (Fragen und Antworten auf Englisch): {detail}</translation>
    </message>
    <message>
      <source>known answers</source>
      <translation>bekannte Antworten</translation>
    </message>
    <message>
      <source>ends by itself</source>
      <translation>hört von selbst auf</translation>
    </message>
    <message>
      <source>no echo of the question</source>
      <translation>kein Echo der Frage</translation>
    </message>
    <message>
      <source>no circles</source>
      <translation>dreht sich nicht im Kreis</translation>
    </message>
    <message>
      <source>clean text</source>
      <translation>sauberer Text</translation>
    </message>
    <message>
      <source>honest counters</source>
      <translation>ehrliche Zähler</translation>
    </message>
    <message>
      <source>thinking apart from the answer</source>
      <translation>Nachdenken getrennt von der Antwort</translation>
    </message>
    <message>
      <source>call of a tool</source>
      <translation>Aufruf eines Werkzeugs</translation>
    </message>
    <message>
      <source>repeats a line exactly</source>
      <translation>wiederholt eine Zeile genau</translation>
    </message>
    <message>
      <source>letters of other languages</source>
      <translation>Buchstaben anderer Sprachen</translation>
    </message>
    <message>
      <source>finds a number in a long text</source>
      <translation>findet eine Zahl in einem langen Text</translation>
    </message>
    <message>
      <source>the same from the cache</source>
      <translation>dasselbe aus dem Cache</translation>
    </message>
    <message>
      <source>the same as the CPU</source>
      <translation>dasselbe wie die CPU</translation>
    </message>
  </context>
  <context>
    <name>context</name>
    <message>
      <source>This no longer fits into the model's context.</source>
      <translation>Das passt nicht mehr in den Kontext des Modells.</translation>
    </message>
    <message>
      <source>{needed} tokens are needed, with room for the answer; {available} are available.</source>
      <translation>Gebraucht werden {needed} Token, mit Platz für die Antwort; es gibt {available}.</translation>
    </message>
    <message>
      <source>Even without earlier messages it would be {fixed}. {remedy}</source>
      <translation>Auch ohne frühere Nachrichten wären es {fixed}. {remedy}</translation>
    </message>
    <message>
      <source>Unpin a file, or shorten the message.</source>
      <translation>Lösen Sie eine Datei, oder kürzen Sie die Nachricht.</translation>
    </message>
    <message>
      <source>Shorten the message, or unpin a file.</source>
      <translation>Kürzen Sie die Nachricht, oder lösen Sie eine Datei.</translation>
    </message>
    <message>
      <source>Shorten the system prompt, or the message.</source>
      <translation>Kürzen Sie die Systemanweisung, oder die Nachricht.</translation>
    </message>
    <message>
      <source>Shorten the message.</source>
      <translation>Kürzen Sie die Nachricht.</translation>
    </message>
    <message>
      <source>Earlier messages take {history} of them. Nothing is left out unless you say so.</source>
      <translation>Davon nehmen frühere Nachrichten {history} ein. Nichts wird weggelassen, solange Sie es nicht sagen.</translation>
    </message>
    <message>
      <source>Reading this takes about {minutes} minutes.</source>
      <translation>Das zu lesen dauert etwa {minutes} Minuten.</translation>
    </message>
    <message>
      <source>{tokens} tokens have to be read before the first word. It can be stopped at any time.</source>
      <translation>Vor dem ersten Wort sind {tokens} Token zu lesen. Das lässt sich jederzeit anhalten.</translation>
    </message>
    <message>
      <source>Leave out the oldest messages</source>
      <translation>Die ältesten Nachrichten weglassen</translation>
    </message>
    <message>
      <source>Summarise the oldest messages</source>
      <translation>Die ältesten Nachrichten zusammenfassen</translation>
    </message>
    <message>
      <source>New chat with the pinned files</source>
      <translation>Neuer Chat mit den angehefteten Dateien</translation>
    </message>
    <message>
      <source>Shorten the message</source>
      <translation>Die Nachricht kürzen</translation>
    </message>
    <message>
      <source>Read it</source>
      <translation>Lesen lassen</translation>
    </message>
    <message>
      <source>Do the same from now on in this chat</source>
      <translation>In diesem Chat von nun an immer so</translation>
    </message>
    <message>
      <source>System prompt</source>
      <translation>Systemanweisung</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>Werkzeuge</translation>
    </message>
    <message>
      <source>Rules of a folder</source>
      <translation>Regeln eines Ordners</translation>
    </message>
    <message>
      <source>Map of a folder</source>
      <translation>Übersicht eines Ordners</translation>
    </message>
    <message>
      <source>Pinned file</source>
      <translation>Angeheftete Datei</translation>
    </message>
    <message>
      <source>Diff</source>
      <translation>Diff</translation>
    </message>
    <message>
      <source>Log</source>
      <translation>Protokoll</translation>
    </message>
    <message>
      <source>Earlier messages</source>
      <translation>Frühere Nachrichten</translation>
    </message>
    <message>
      <source>Your message</source>
      <translation>Ihre Nachricht</translation>
    </message>
    <message>
      <source>highest</source>
      <translation>am höchsten</translation>
    </message>
    <message>
      <source>high</source>
      <translation>hoch</translation>
    </message>
    <message>
      <source>medium</source>
      <translation>mittel</translation>
    </message>
    <message>
      <source>low</source>
      <translation>niedrig</translation>
    </message>
    <message>
      <source>changed since it was pinned</source>
      <translation>seit dem Anheften geändert</translation>
    </message>
    <message>
      <source>not there any more; the chat has its own copy</source>
      <translation>nicht mehr da; der Chat hat seine eigene Kopie</translation>
    </message>
    <message>
      <source>{used} of {available} tokens</source>
      <translation>{used} von {available} Token</translation>
    </message>
    <message>
      <source>{predicted} tokens predicted; this pipeline measures nothing</source>
      <translation>{predicted} Token vorhergesagt; diese Pipeline misst nichts</translation>
    </message>
    <message>
      <source>{reused} tokens, as predicted</source>
      <translation>{reused} Token, wie vorhergesagt</translation>
    </message>
    <message>
      <source>{reused} tokens measured, {predicted} were predicted</source>
      <translation>{reused} Token gemessen, {predicted} waren vorhergesagt</translation>
    </message>
    <message>
      <source>Instructions</source>
      <translation>Anweisungen</translation>
    </message>
    <message>
      <source>Pinned files</source>
      <translation>Angeheftete Dateien</translation>
    </message>
    <message>
      <source>{used} of {available} tokens are used for the next turn.</source>
      <translation>Die nächste Nachricht belegt {used} von {available} Token.</translation>
    </message>
    <message>
      <source>Room for the answer: {count}</source>
      <translation>Platz für die Antwort: {count}</translation>
    </message>
    <message>
      <source>The model isn't loaded, so nothing is read yet.</source>
      <translation>Das Modell ist nicht geladen, also ist noch nichts gelesen.</translation>
    </message>
    <message>
      <source>Nothing of it is read yet.</source>
      <translation>Davon ist noch nichts gelesen.</translation>
    </message>
    <message>
      <source>{reused} of them are read already.</source>
      <translation>Davon sind {reused} schon gelesen.</translation>
    </message>
    <message>
      <source>The {count} oldest messages are not read any more.</source>
      <translation>Die {count} ältesten Nachrichten werden nicht mehr gelesen.</translation>
    </message>
    <message>
      <source>{file} · changed</source>
      <translation>{file} · geändert</translation>
    </message>
    <message>
      <source>{file} · gone</source>
      <translation>{file} · nicht mehr da</translation>
    </message>
    <message>
      <source>{count} tokens</source>
      <translation>{count} Token</translation>
    </message>
    <message>
      <source>Part</source>
      <translation>Teil</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>Name</translation>
    </message>
    <message>
      <source>Worth keeping</source>
      <translation>Behaltenswert</translation>
    </message>
    <message>
      <source>Tokens</source>
      <translation>Token</translation>
    </message>
    <message>
      <source>Read already</source>
      <translation>Schon gelesen</translation>
    </message>
    <message>
      <source>Ask me</source>
      <translation>Mich fragen</translation>
    </message>
    <message>
      <source>{prompt} tokens and {reserve} for the answer, of {available}</source>
      <translation>{prompt} Token und {reserve} für die Antwort, von {available}</translation>
    </message>
    <message>
      <source>A summary stands for them: {summary}</source>
      <translation>Für sie steht eine Zusammenfassung: {summary}</translation>
    </message>
    <message>
      <source>{count} tokens at the beginning, hash {hash}</source>
      <translation>{count} Token am Anfang, Hash {hash}</translation>
    </message>
    <message>
      <source>{held} of {capacity} tokens held</source>
      <translation>{held} von {capacity} Token belegt</translation>
    </message>
    <message>
      <source>{count} messages</source>
      <translation>{count} Nachrichten</translation>
    </message>
    <message>
      <source>summary of what was said before</source>
      <translation>Zusammenfassung des bisher Gesagten</translation>
    </message>
    <message>
      <source>This is more than the model can read.</source>
      <translation>Das ist mehr, als das Modell lesen kann.</translation>
    </message>
    <message>
      <source>Try again</source>
      <translation>Noch einmal versuchen</translation>
    </message>
    <message>
      <source>Reading this takes about a minute.</source>
      <translation>Das zu lesen dauert etwa eine Minute.</translation>
    </message>
    <message>
      <source>The model has not read this beginning yet, or has lost it since.</source>
      <translation>Das Modell hat diesen Anfang noch nicht gelesen oder seither verloren.</translation>
    </message>
    <message>
      <source>The last turn began with other instructions or files.</source>
      <translation>Der letzte Zug begann mit anderen Anweisungen oder Dateien.</translation>
    </message>
    <message>
      <source>The last turn differs in {field}.</source>
      <translation>Der letzte Zug unterscheidet sich in {field}.</translation>
    </message>
    <message>
      <source>Reading this may take {least} to {most} minutes.</source>
      <translation>Das zu lesen kann {least} bis {most} Minuten dauern.</translation>
    </message>
    <message>
      <source>Reading this may take about {minutes} min.</source>
      <translation>Das zu lesen kann etwa {minutes} min dauern.</translation>
    </message>
    <message>
      <source>The speed was measured when this model was checked on this computer.</source>
      <translation>Das Tempo wurde gemessen, als dieses Modell auf diesem Computer geprüft wurde.</translation>
    </message>
    <message>
      <source>The speed was measured with this model on this computer.</source>
      <translation>Das Tempo wurde mit diesem Modell auf diesem Computer gemessen.</translation>
    </message>
    <message>
      <source>This is estimated from what the processor can do; the model was not measured here yet.</source>
      <translation>Das ist geschätzt nach dem, was der Prozessor kann; das Modell wurde hier noch nicht gemessen.</translation>
    </message>
    <message>
      <source>What can be left out first: {parts}. Everything stays in the chat; the model just does not read it any more.</source>
      <translation>Zuerst kann wegbleiben: {parts}. Im Chat bleibt alles stehen; nur das Modell liest es nicht mehr.</translation>
    </message>
    <message>
      <source>What comes after it is read again, about {tokens} tokens.</source>
      <translation>Was danach kommt, wird neu gelesen, etwa {tokens} Token.</translation>
    </message>
    <message>
      <source>Something was left out, so that the chat fits.</source>
      <translation>Es wurde etwas weggelassen, damit der Chat hineinpasst.</translation>
    </message>
    <message>
      <source>Left out: {parts}. Everything stays in the chat; the model just does not read it any more.</source>
      <translation>Weggelassen: {parts}. Im Chat bleibt alles stehen; nur das Modell liest es nicht mehr.</translation>
    </message>
    <message>
      <source>the {count} oldest messages</source>
      <translation>die {count} ältesten Nachrichten</translation>
    </message>
    <message>
      <source>the pasted diff of {time}</source>
      <translation>der eingefügte Diff von {time}</translation>
    </message>
    <message>
      <source>the pasted test output of {time}</source>
      <translation>die eingefügte Testausgabe von {time}</translation>
    </message>
    <message>
      <source>the pasted log of {time}</source>
      <translation>das eingefügte Protokoll von {time}</translation>
    </message>
    <message>
      <source>{count} lines</source>
      <translation>{count} Zeilen</translation>
    </message>
    <message>
      <source>Leave out what was pasted</source>
      <translation>Eingefügtes weglassen</translation>
    </message>
    <message>
      <source>Leave out pasted text and old messages</source>
      <translation>Eingefügtes und alte Nachrichten weglassen</translation>
    </message>
    <message>
      <source>Leave out pasted text, then the oldest messages</source>
      <translation>Eingefügtes weglassen, dann die ältesten Nachrichten</translation>
    </message>
    <message>
      <source>Test output</source>
      <translation>Testausgabe</translation>
    </message>
    <message>
      <source>in it: {kind}</source>
      <translation>darin: {kind}</translation>
    </message>
    <message>
      <source>A pasted text is not read any more.</source>
      <translation>Ein eingefügter Text wird nicht mehr gelesen.</translation>
    </message>
    <message>
      <source>{count} pasted texts are not read any more.</source>
      <translation>{count} eingefügte Texte werden nicht mehr gelesen.</translation>
    </message>
    <message>
      <source>Not read any more: {parts}.</source>
      <translation>Nicht mehr gelesen: {parts}.</translation>
    </message>
    <message>
      <source>the oldest message</source>
      <translation>die älteste Nachricht</translation>
    </message>
    <message>
      <source>Chat template</source>
      <translation>Chatvorlage</translation>
    </message>
  </context>
  <context>
    <name>ContextBar</name>
    <message>
      <source>Context</source>
      <translation>Kontext</translation>
    </message>
    <message>
      <source>Too long</source>
      <translation>Zu lang</translation>
    </message>
  </context>
  <context>
    <name>ContextPanel</name>
    <message>
      <source>What the model reads</source>
      <translation>Was das Modell liest</translation>
    </message>
    <message>
      <source>When the chat is full</source>
      <translation>Wenn der Chat voll ist</translation>
    </message>
    <message>
      <source>Nothing to read yet</source>
      <translation>Noch nichts zu lesen</translation>
    </message>
    <message>
      <source>Stays the same</source>
      <translation>Bleibt gleich</translation>
    </message>
    <message>
      <source>Cache</source>
      <translation>Zwischenspeicher</translation>
    </message>
    <message>
      <source>Why nothing is reused</source>
      <translation>Warum nichts wiederverwendet wird</translation>
    </message>
    <message>
      <source>Reused for the last answer</source>
      <translation>Wiederverwendet für die letzte Antwort</translation>
    </message>
    <message>
      <source>By what it is worth</source>
      <translation>Nach Behaltenswert</translation>
    </message>
  </context>
  <context>
    <name>PinChip</name>
    <message>
      <source>Read {name} again</source>
      <translation>{name} neu lesen</translation>
    </message>
    <message>
      <source>Unpin {name}</source>
      <translation>{name} lösen</translation>
    </message>
  </context>
  <context>
    <name>PinDesk</name>
    <message>
      <source>Pin files to this chat</source>
      <translation>Dateien an diesen Chat heften</translation>
    </message>
    <message>
      <source>Pin a folder to this chat</source>
      <translation>Einen Ordner an diesen Chat heften</translation>
    </message>
  </context>
  <context>
    <name>PinsBar</name>
    <message>
      <source>Pinned files</source>
      <translation>Angeheftete Dateien</translation>
    </message>
    <message>
      <source>Reading…</source>
      <translation>Wird gelesen …</translation>
    </message>
  </context>
  <context>
    <name>errors</name>
    <message>
      <source>no_display</source>
      <translation>Es gibt keinen Bildschirm für ein Fenster.
Starten Sie es in einer Desktop-Sitzung, oder benutzen Sie die Konsole: contenox chat.</translation>
    </message>
    <message>
      <source>context_not_declared</source>
      <translation>Das Profil des Modells nennt keinen so langen Kontext.
Setzen Sie context_length im Profil im Ordner des Modells, um ihn zu messen; vorher benutzt ihn nichts.</translation>
    </message>
    <message>
      <source>access_refused</source>
      <translation>Der Server gibt diese Datei nicht heraus.
Entfernen Sie den Zugangsschlüssel, falls Sie einen gesetzt haben, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>answer_has_replies</source>
      <translation>Nach dieser Antwort ging das Gespräch weiter, deshalb kann sie nicht fortgesetzt werden.
Löschen Sie, was folgt, oder fragen Sie noch einmal.</translation>
    </message>
    <message>
      <source>answer_not_open</source>
      <translation>Diese Antwort ist schon zu Ende.
Setzen Sie sie fort, oder lassen Sie neu antworten.</translation>
    </message>
    <message>
      <source>answer_running</source>
      <translation>Hier wird noch eine Antwort geschrieben.
Warten Sie ihr Ende ab, oder halten Sie sie zuerst an.</translation>
    </message>
    <message>
      <source>attachment_damaged</source>
      <translation>Der gespeicherte Inhalt der Datei ist nicht mehr der, der angehängt wurde.
Hängen Sie die Datei noch einmal an, oder stellen Sie eine Sicherung wieder her.</translation>
    </message>
    <message>
      <source>attachment_not_found</source>
      <translation>Diese Datei ist nicht mehr angehängt.
Hängen Sie sie noch einmal an.</translation>
    </message>
    <message>
      <source>attachment_too_large</source>
      <translation>Die Datei ist zu groß, um angehängt zu werden.
Hängen Sie den Teil an, auf den es ankommt.</translation>
    </message>
    <message>
      <source>autostart_refused</source>
      <translation>Windows hat nicht erlaubt zu ändern, was mit dem Computer startet.
Fragen Sie, wer diesen Computer verwaltet, oder benutzen Sie die Seite Autostart im Task-Manager.</translation>
    </message>
    <message>
      <source>backend_missing</source>
      <translation>Der Teil des Programms, der dieses Modell ausführt, ist nicht installiert.
Installieren Sie das Programm neu, oder wählen Sie die andere Variante des Modells.</translation>
    </message>
    <message>
      <source>backup_abandoned</source>
      <translation>Die Sicherung wurde nicht fertig.
Sie wird beim nächsten Start gemacht.</translation>
    </message>
    <message>
      <source>backup_damaged</source>
      <translation>Diese Sicherung ist beschädigt.
Wählen Sie eine andere; es wurde nichts verändert.</translation>
    </message>
    <message>
      <source>backup_not_found</source>
      <translation>Diese Sicherung gibt es nicht mehr.
Wählen Sie eine andere.</translation>
    </message>
    <message>
      <source>bad_cache_size</source>
      <translation>Der Cache ist zu klein für einen Kontext.
Wählen Sie mindestens 1 GiB, oder lassen Sie cache_size weg.</translation>
    </message>
    <message>
      <source>bad_context</source>
      <translation>Der Kontext ist zu kurz für eine Frage.
Wählen Sie einen längeren.</translation>
    </message>
    <message>
      <source>bad_name</source>
      <translation>So kann ein Modell nicht heißen.
Wählen Sie einen Namen aus kleinen Buchstaben, Ziffern, Punkten und Strichen, wie my-model-7b.</translation>
    </message>
    <message>
      <source>catalog_invalid</source>
      <translation>Die Liste der Modelle ist fehlerhaft.
Installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>chat_not_supported</source>
      <translation>Dieses Modell macht nur Einbettungen; es antwortet nicht.
Wählen Sie ein Chatmodell.</translation>
    </message>
    <message>
      <source>chat_row_damaged</source>
      <translation>Ein Teil dieses Chats ist beschädigt und lässt sich nicht reparieren.
Stellen Sie eine Sicherung wieder her.</translation>
    </message>
    <message>
      <source>chats_busy</source>
      <translation>Ein anderes Programm von Contenox arbeitet gerade an den Chats.
Warten Sie, bis es fertig ist, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>chats_closed</source>
      <translation>Das Programm wird gerade beendet, deshalb wurde dies nicht gespeichert.
Starten Sie das Programm neu.</translation>
    </message>
    <message>
      <source>chats_damaged</source>
      <translation>Die Chats sind beschädigt, deshalb wurde keine Kopie gemacht.
Stellen Sie eine frühere Kopie wieder her.</translation>
    </message>
    <message>
      <source>chats_in_use</source>
      <translation>Die Chats müssen repariert werden, aber ein anderes Programm von Contenox hat sie geöffnet.
Schließen Sie das andere Programm und starten Sie neu.</translation>
    </message>
    <message>
      <source>chats_newer_version</source>
      <translation>Diese Chats hat eine neuere Version von Contenox geschrieben.
Installieren Sie die neuere Version; die Chats wurden nicht angerührt.</translation>
    </message>
    <message>
      <source>chats_unwritable</source>
      <translation>Die Chats können nicht geöffnet oder geschrieben werden.
Berichtigen Sie die Rechte des Ordners, oder wählen Sie einen anderen Datenordner.</translation>
    </message>
    <message>
      <source>closing</source>
      <translation>Das Programm wird gerade beendet.
Starten Sie es neu.</translation>
    </message>
    <message>
      <source>composite_device</source>
      <translation>Es werden nur einzelne Geräte benutzt, damit immer bekannt ist, welches antwortet.
Wählen Sie Automatisch, oder ein Gerät.</translation>
    </message>
    <message>
      <source>context_overflow</source>
      <translation>Das Gespräch und die Antwort sind zusammen länger, als das Modell lesen kann.
Lassen Sie Älteres weg, lassen Sie es zusammenfassen, oder beginnen Sie einen neuen Chat.</translation>
    </message>
    <message>
      <source>context_too_small</source>
      <translation>Für die Prüfung der Antworten ist der Kontext zu klein.
Wählen Sie mindestens 512 Token.</translation>
    </message>
    <message>
      <source>context_too_large</source>
      <translation>Es wurde ein längerer Kontext verlangt, als das Modell beherrscht.
Wählen Sie einen kürzeren, oder überlassen Sie dem Programm die Wahl.</translation>
    </message>
    <message>
      <source>control_died</source>
      <translation>Die Vergleichsmessung ist abgebrochen.
Starten Sie die Messung noch einmal.</translation>
    </message>
    <message>
      <source>conversation_not_found</source>
      <translation>Diesen Chat gibt es nicht mehr.
Wählen Sie einen anderen aus der Liste.</translation>
    </message>
    <message>
      <source>conversion_failed</source>
      <translation>OpenVINO konnte das Modell nicht umwandeln.
Schaffen Sie Platz auf dem Datenträger und im Speicher und versuchen Sie es noch einmal, oder benutzen Sie die Datei mit llama.cpp.</translation>
    </message>
    <message>
      <source>conversion_unsupported</source>
      <translation>OpenVINO kann GGUF-Dateien dieser Bauart nicht umwandeln.
Benutzen Sie die Datei mit llama.cpp, oder wählen Sie ein Modell in OpenVINOs Format.</translation>
    </message>
    <message>
      <source>copy_differs</source>
      <translation>Eine geschriebene Datei liest sich anders zurück, als sie geschrieben wurde.
Der Datenträger oder sein Kabel versagt: Nehmen Sie einen anderen.</translation>
    </message>
    <message>
      <source>count_not_supported</source>
      <translation>Für dieses Modell können keine Token gezählt werden.
Wählen Sie ein Chatmodell.</translation>
    </message>
    <message>
      <source>cpu_plugin_missing</source>
      <translation>Eine Bibliothek dieses Programms fehlt oder ist beschädigt: openvino_intel_cpu_plugin.
Installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>cpu_unsupported</source>
      <translation>Für diesen Prozessor hat llama.cpp hier keinen Code.
Wählen Sie die OpenVINO-Variante des Modells.</translation>
    </message>
    <message>
      <source>data_root_is_file</source>
      <translation>Wo ein Ordner für die Daten sein müsste, liegt eine Datei.
Räumen Sie die Datei weg, oder wählen Sie mit CONTENOX_DATA_ROOT einen anderen Ordner.</translation>
    </message>
    <message>
      <source>data_root_unwritable</source>
      <translation>In den Datenordner kann nicht geschrieben werden.
Wählen Sie mit CONTENOX_DATA_ROOT einen Ordner, in den Sie schreiben dürfen, oder berichtigen Sie seine Rechte.</translation>
    </message>
    <message>
      <source>deletion_not_found</source>
      <translation>Dieses Löschen kann nicht mehr rückgängig gemacht werden.
Stellen Sie eine Sicherung wieder her, falls Sie die Nachricht brauchen.</translation>
    </message>
    <message>
      <source>device_lost</source>
      <translation>Die Grafikeinheit antwortet nicht mehr.
Senden Sie die Nachricht noch einmal, oder wählen Sie die CPU.</translation>
    </message>
    <message>
      <source>device_unavailable</source>
      <translation>Dieses Gerät kann das Modell nicht ausführen.
Wählen Sie die CPU, oder die OpenVINO-Variante des Modells.</translation>
    </message>
    <message>
      <source>device_unknown</source>
      <translation>Dieser Computer hat kein solches Gerät, das Modelle ausführen kann.
Wählen Sie eines aus der Liste der Geräte.</translation>
    </message>
    <message>
      <source>disk_full</source>
      <translation>Der Datenträger ist voll, deshalb wurde dies nicht gespeichert.
Schaffen Sie Platz und versuchen Sie es noch einmal; was vorher gespeichert war, ist sicher.</translation>
    </message>
    <message>
      <source>does_not_fit</source>
      <translation>Das Modell passt nicht in den freien Speicher.
Schließen Sie andere Programme, oder wählen Sie ein kleineres Modell oder einen kürzeren Kontext.</translation>
    </message>
    <message>
      <source>download_damaged</source>
      <translation>Die Datei enthält nicht das Startmodell, das sie enthalten soll.
Versuchen Sie es noch einmal; geschieht es wieder, installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>download_failed</source>
      <translation>Das Startmodell konnte nicht heruntergeladen werden.
Prüfen Sie die Verbindung, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>download_move</source>
      <translation>Das geht mit diesem Download gerade nicht.
Sehen Sie noch einmal in die Liste der Downloads.</translation>
    </message>
    <message>
      <source>download_unknown</source>
      <translation>Diesen Download gibt es nicht.
Sehen Sie noch einmal in die Liste der Downloads.</translation>
    </message>
    <message>
      <source>downloads_damaged</source>
      <translation>Die Liste der Downloads wurde auf dem Datenträger beschädigt.
Beginnen Sie die Downloads noch einmal; was sie schon geholt hatten, wird benutzt.</translation>
    </message>
    <message>
      <source>downloads_running</source>
      <translation>Ein anderes Fenster oder ein Befehl dieses Programms lädt gerade Modelle herunter.
Schließen Sie es, und verschieben Sie die Modelle dann.</translation>
    </message>
    <message>
      <source>downloads_too_new</source>
      <translation>Die Liste der Downloads hat eine neuere Version dieses Programms geschrieben.
Aktualisieren Sie dieses Programm.</translation>
    </message>
    <message>
      <source>embeddings_not_supported</source>
      <translation>Dieses Modell macht keine Einbettungen.
Wählen Sie ein Einbettungsmodell.</translation>
    </message>
    <message>
      <source>endpoint_refused</source>
      <translation>Der Modellserver hat keine geschützte Verbindung.
Setzen Sie HF_ENDPOINT auf eine Adresse, die mit https:// beginnt, oder entfernen Sie es.</translation>
    </message>
    <message>
      <source>engine_died</source>
      <translation>Die Engine ist unerwartet beendet worden.
Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>engine_failed</source>
      <translation>Die Bibliothek, die das Modell ausführt, hat einen Fehler gemeldet.
Senden Sie die Nachricht noch einmal; das Modell wird neu geladen.</translation>
    </message>
    <message>
      <source>engine_stuck</source>
      <translation>Das dauerte länger, als es je dauern dürfte, und wurde aufgegeben.
Versuchen Sie es noch einmal. Geschieht es wieder, starten Sie den Computer neu; wählen Sie danach ein anderes Gerät oder ein anderes Modell.</translation>
    </message>
    <message>
      <source>engine_not_started</source>
      <translation>Die Engine konnte nicht gestartet werden.
Versuchen Sie es noch einmal; geschieht es wieder, starten Sie den Computer neu.</translation>
    </message>
    <message>
      <source>export_failed</source>
      <translation>Das Bild konnte nicht geschrieben werden.
Wählen Sie einen Ordner, in den Sie schreiben dürfen.</translation>
    </message>
    <message>
      <source>export_target</source>
      <translation>Dorthin kann ein Modell nicht exportiert werden.
Wählen Sie einen Ordner außerhalb des Modellordners, zum Beispiel auf einem USB-Stick.</translation>
    </message>
    <message>
      <source>export_unwritable</source>
      <translation>Der Export konnte nicht geschrieben werden.
Wählen Sie einen anderen Ordner, oder schaffen Sie Platz.</translation>
    </message>
    <message>
      <source>file_too_large</source>
      <translation>Der Datenträger fasst keine so große Datei: Sein Dateisystem (FAT32) endet bei 4 GB.
Formatieren Sie ihn mit exFAT oder NTFS, oder nehmen Sie einen anderen.</translation>
    </message>
    <message>
      <source>import_already_here</source>
      <translation>Dieser Chat, oder ein Teil davon, ist schon hier; vielleicht wurde er in den letzten 30 Tagen gelöscht.
Lesen Sie ihn als Kopie ein, oder machen Sie das Löschen rückgängig.</translation>
    </message>
    <message>
      <source>import_ambiguous</source>
      <translation>In diesem Ordner sind mehrere GGUF-Dateien.
Wählen Sie die eine Datei, die eingelesen werden soll.</translation>
    </message>
    <message>
      <source>import_invalid</source>
      <translation>Diese Datei ist kein gültiger Export.
Wählen Sie eine unveränderte Datei, die aus Contenox exportiert wurde; es wurde nichts eingelesen.</translation>
    </message>
    <message>
      <source>import_missing</source>
      <translation>An dieser Stelle ist nichts.
Prüfen Sie den Pfad des Modells.</translation>
    </message>
    <message>
      <source>import_newer_version</source>
      <translation>Diese Datei hat eine neuere Version von Contenox exportiert.
Installieren Sie die neuere Version, oder exportieren Sie dort noch einmal für diese.</translation>
    </message>
    <message>
      <source>import_not_chats</source>
      <translation>In dieser Datei sind keine Chats von Contenox.
Wählen Sie eine Datei, die aus Contenox exportiert wurde.</translation>
    </message>
    <message>
      <source>import_not_json</source>
      <translation>Diese Datei ist kein vollständiges JSON.
Wählen Sie eine Datei, die aus Contenox exportiert wurde; kopieren Sie sie neu, falls sie abgeschnitten ist.</translation>
    </message>
    <message>
      <source>import_not_utf8</source>
      <translation>Diese Datei ist kein Text in UTF-8.
Wählen Sie eine unveränderte Datei, die aus Contenox exportiert wurde.</translation>
    </message>
    <message>
      <source>import_too_large</source>
      <translation>Diese Datei ist zu groß, um eingelesen zu werden.
Exportieren Sie weniger Chats auf einmal.</translation>
    </message>
    <message>
      <source>import_unknown</source>
      <translation>In diesem Ordner ist kein Modell: weder OpenVINOs Dateien noch eine .gguf-Datei.
Wählen Sie den Ordner mit openvino_model.xml, oder eine .gguf-Datei.</translation>
    </message>
    <message>
      <source>import_unreadable</source>
      <translation>Die Datei kann nicht gelesen werden.
Wählen Sie eine Datei, die Sie lesen dürfen.</translation>
    </message>
    <message>
      <source>incomplete</source>
      <translation>Diese Datei hat keine Chatvorlage: Sie wurde nicht für Gespräche gemacht.
Wählen Sie eine Datei, deren Name instruct oder chat enthält.</translation>
    </message>
    <message>
      <source>kv_cache_type_unknown</source>
      <translation>Diese Art von KV-Cache kennt llama.cpp nicht.
Berichtigen Sie das Profil des Modells.</translation>
    </message>
    <message>
      <source>length_capped</source>
      <translation>Die Dateien des Modells begrenzen Frage und Antwort zusammen.
Kürzen Sie die Nachricht, oder wählen Sie ein anderes Modell.</translation>
    </message>
    <message>
      <source>listing_unusable</source>
      <translation>Der Server sagt nichts, woran die Dateien geprüft werden könnten.
Versuchen Sie es später noch einmal, oder mit einem anderen Spiegelserver.</translation>
    </message>
    <message>
      <source>llama_on_cpu_only</source>
      <translation>llama.cpp führt Modelle hier nur auf der CPU aus.
Wählen Sie die CPU oder Automatisch, oder für eine GPU die OpenVINO-Variante des Modells.</translation>
    </message>
    <message>
      <source>load_cancelled</source>
      <translation>Das Laden wurde abgebrochen.
Starten Sie die Zertifizierung noch einmal.</translation>
    </message>
    <message>
      <source>message_invalid</source>
      <translation>Eine Nachricht des Gesprächs ist nicht lesbar.
Beginnen Sie einen neuen Chat.</translation>
    </message>
    <message>
      <source>message_not_found</source>
      <translation>Diese Nachricht gibt es nicht mehr.
Öffnen Sie den Chat noch einmal.</translation>
    </message>
    <message>
      <source>model_changed</source>
      <translation>Das Modell wurde durch ein anderes ersetzt.
Wählen Sie das Modell noch einmal.</translation>
    </message>
    <message>
      <source>model_damaged</source>
      <translation>Eine Datei des Modells ist beschädigt.
Prüfen Sie das Modell, und holen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>model_gated</source>
      <translation>Der Herausgeber gibt dieses Modell nur an Leute, die seinen Bedingungen zugestimmt haben.
Wählen Sie ein anderes Modell der Liste.</translation>
    </message>
    <message>
      <source>model_incomplete</source>
      <translation>Diesem Modell fehlt etwas, das es für Gespräche braucht.
Wählen Sie ein Modell, dessen Name instruct oder chat enthält, oder holen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>model_not_curated</source>
      <translation>Dieses Modell steht nicht in der Liste.
Wählen Sie eines aus der Liste der Modelle.</translation>
    </message>
    <message>
      <source>model_not_found</source>
      <translation>Dieses Modell gibt es auf diesem Computer nicht mehr.
Sehen Sie noch einmal in die Liste der Modelle.</translation>
    </message>
    <message>
      <source>model_not_installed</source>
      <translation>Dieses Modell steht in der Liste, ist hier aber nicht installiert.
Holen Sie es im Fenster der Modelle.</translation>
    </message>
    <message>
      <source>model_reader_missing</source>
      <translation>Eine Bibliothek dieses Programms fehlt oder ist beschädigt: openvino_ir_frontend.
Installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>model_shape_unknown</source>
      <translation>Die Dateien des Modells sagen nicht, wie groß sein KV-Cache ist.
Prüfen Sie das Modell; sind seine Dateien richtig, kann es hier nicht benutzt werden.</translation>
    </message>
    <message>
      <source>model_too_new</source>
      <translation>Dieses Modell hat eine neuere Version dieses Programms installiert.
Aktualisieren Sie dieses Programm.</translation>
    </message>
    <message>
      <source>model_unknown</source>
      <translation>Dieses Modell gibt es hier nicht, weder in der Liste noch installiert.
Wählen Sie eines aus der Liste der Modelle.</translation>
    </message>
    <message>
      <source>model_unreadable</source>
      <translation>Eine Datei des Modells kann nicht gelesen werden.
Prüfen Sie den Datenträger und die Rechte des Modellordners.</translation>
    </message>
    <message>
      <source>model_unsupported</source>
      <translation>Diese Art von Modell kennt llama.cpp nicht.
Wählen Sie ein anderes Modell, oder aktualisieren Sie das Programm.</translation>
    </message>
    <message>
      <source>model_withdrawn</source>
      <translation>Der Server des Herausgebers hat dieses Modell nicht mehr, oder nicht in dieser Version.
Wählen Sie ein anderes Modell, oder aktualisieren Sie das Programm.</translation>
    </message>
    <message>
      <source>move_switched</source>
      <translation>Die Modelle sind schon an ihrem neuen Ort; nur alte Dateien sind noch zu löschen.
Verschieben Sie noch einmal in denselben Ordner, dann ist es fertig.</translation>
    </message>
    <message>
      <source>move_target</source>
      <translation>Dorthin können die Modelle nicht verschoben werden.
Wählen Sie einen anderen, leeren Ordner.</translation>
    </message>
    <message>
      <source>move_unfinished</source>
      <translation>Ein Verschieben der Modelle wurde nicht beendet.
Verschieben Sie noch einmal in denselben Ordner, dann geht es weiter.</translation>
    </message>
    <message>
      <source>name_curated</source>
      <translation>So heißt ein Modell der Liste, und diese Dateien sind andere.
Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
      <source>name_not_free</source>
      <translation>Ein exportiertes Modell behält seinen Namen.
Lassen Sie den Namen weg.</translation>
    </message>
    <message>
      <source>name_taken</source>
      <translation>Ein anderes Modell mit diesem Namen ist schon installiert.
Wählen Sie einen anderen Namen, oder löschen Sie zuerst das installierte.</translation>
    </message>
    <message>
      <source>network_login</source>
      <translation>Das Netz hat mit einer Webseite geantwortet statt mit dem, was der Server schicken sollte.
Öffnen Sie einen Browser und melden Sie sich im Netz an; der Download geht danach weiter.</translation>
    </message>
    <message>
      <source>network_unreachable</source>
      <translation>Der Server ist nicht erreichbar.
Prüfen Sie die Verbindung; der Download geht dort weiter, wo er stand.</translation>
    </message>
    <message>
      <source>no_answer</source>
      <translation>Diese Nachricht ist keine Antwort.
Wählen Sie eine Antwort.</translation>
    </message>
    <message>
      <source>no_memory_telemetry</source>
      <translation>Dieses Gerät sagt nicht, wie viel Speicher es hat und wie viel davon frei ist.
Wählen Sie ein anderes Gerät, oder aktualisieren Sie den Grafiktreiber.</translation>
    </message>
    <message>
      <source>no_model</source>
      <translation>Es ist noch kein Modell installiert.
Holen Sie das Startmodell mit dem Knopf auf der Startseite.</translation>
    </message>
    <message>
      <source>not_certified</source>
      <translation>Für das Modell gibt es auf der CPU kein gültiges Zertifikat.
Zertifizieren Sie es im Fenster der Messungen auf der CPU.</translation>
    </message>
    <message>
      <source>not_counted</source>
      <translation>Die Engine hat nichts gezählt.
Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>not_from_hub</source>
      <translation>Dieses Modell kommt mit dem Programm und wird nicht heruntergeladen.
Holen Sie es mit dem Knopf auf der Startseite.</translation>
    </message>
    <message>
      <source>nothing_to_measure</source>
      <translation>Jede Antwort war zu Ende, bevor ihre Geschwindigkeit gemessen werden konnte.
Wählen Sie ein anderes Modell; dieses antwortet auf eine gewöhnliche Frage nichts.</translation>
    </message>
    <message>
      <source>npu_not_supported</source>
      <translation>Die NPU wird nicht angeboten: Die schnelle Pipeline hat keine Fassung für sie.
Wählen Sie CPU, GPU oder Automatisch.</translation>
    </message>
    <message>
      <source>offline</source>
      <translation>Das Programm ist auf offline gestellt, deshalb wurde kein Server gefragt.
Schalten Sie offline aus, oder lesen Sie das Modell aus einem Ordner ein.</translation>
    </message>
    <message>
      <source>out_of_memory</source>
      <translation>Für das Modell und seinen Kontext ist nicht genug Speicher frei.
Schließen Sie andere Programme, oder wählen Sie ein kleineres Modell oder einen kürzeren Kontext.</translation>
    </message>
    <message>
      <source>paged_attention_not_supported</source>
      <translation>Dieses Modell hat nicht die Bauart, die die schnelle Pipeline braucht.
Wählen Sie im Profil die automatische Pipeline.</translation>
    </message>
    <message>
      <source>pdf_damaged</source>
      <translation>Das PDF ist nicht lesbar.
Öffnen Sie es in einem PDF-Programm, speichern Sie es neu, und heften Sie das an.</translation>
    </message>
    <message>
      <source>pdf_encrypted</source>
      <translation>Das PDF ist mit einem Kennwort geschützt.
Speichern Sie es ohne Kennwort, und heften Sie es noch einmal an.</translation>
    </message>
    <message>
      <source>pdf_without_text</source>
      <translation>Das PDF enthält keinen Text; wahrscheinlich ist es gescannt.
Heften Sie ein PDF mit Text an, oder lassen Sie zuerst seinen Text erkennen.</translation>
    </message>
    <message>
      <source>pin_mismatch</source>
      <translation>Die neueste Fassung des Herausgebers ist nicht mehr die, die in der Liste steht.
Wählen Sie ein anderes Modell, oder aktualisieren Sie das Programm.</translation>
    </message>
    <message>
      <source>pin_not_found</source>
      <translation>Diese Datei gibt es nicht.
Heften Sie die Datei dort an, wo sie jetzt ist.</translation>
    </message>
    <message>
      <source>pin_not_text</source>
      <translation>Das ist keine Textdatei.
Heften Sie Text, Markdown, Code oder ein PDF mit Text an.</translation>
    </message>
    <message>
      <source>pin_too_large</source>
      <translation>Die Datei ist zu groß, um angeheftet zu werden.
Heften Sie den Teil an, auf den es ankommt.</translation>
    </message>
    <message>
      <source>pin_unreadable</source>
      <translation>Die Datei kann nicht gelesen werden.
Prüfen Sie ihre Rechte, oder schließen Sie das Programm, das sie festhält.</translation>
    </message>
    <message>
      <source>pip_missing</source>
      <translation>Das Startmodell wird mit pip heruntergeladen, und dieses Python hat kein pip.
Installieren Sie es mit: python -m ensurepip</translation>
    </message>
    <message>
      <source>pipeline_busy</source>
      <translation>Die Bibliothek hält noch an einer früheren Anfrage fest.
Senden Sie die Nachricht noch einmal; das Modell wird neu geladen.</translation>
    </message>
    <message>
      <source>pool_corrupted</source>
      <translation>Die Bibliothek hat die Übersicht über den Speicher des Kontexts verloren.
Senden Sie die Nachricht noch einmal; das Modell wird neu geladen.</translation>
    </message>
    <message>
      <source>pool_exhausted</source>
      <translation>Der Speicher für den Kontext ist aufgebraucht.
Beginnen Sie einen neuen Chat, oder kürzen Sie die Nachricht, und senden Sie sie noch einmal.</translation>
    </message>
    <message>
      <source>prefill_not_supported</source>
      <translation>Dieses Modell kann nicht im Voraus gelesen werden.
Senden Sie die Nachricht; sie wird dann gelesen.</translation>
    </message>
    <message>
      <source>preset_without_name</source>
      <translation>Eine Vorlage braucht einen Namen.
Geben Sie ihr einen Namen.</translation>
    </message>
    <message>
      <source>profile_invalid</source>
      <translation>Das Profil des Modells enthält einen Fehler.
Berichtigen Sie es, oder löschen Sie es aus dem Ordner des Modells.</translation>
    </message>
    <message>
      <source>profile_mismatch</source>
      <translation>Das Profil des Modells gehört zu anderen Dateien.
Holen Sie das Modell noch einmal, oder löschen Sie das Profil in seinem Ordner.</translation>
    </message>
    <message>
      <source>profile_missing</source>
      <translation>Das Profil fehlt.
Prüfen Sie den Pfad.</translation>
    </message>
    <message>
      <source>profile_unreadable</source>
      <translation>Das Profil kann nicht gelesen werden.
Prüfen Sie die Rechte der Datei.</translation>
    </message>
    <message>
      <source>prompt_empty</source>
      <translation>Es gibt nichts zu beantworten.
Schreiben Sie eine Frage.</translation>
    </message>
    <message>
      <source>prompt_not_sized</source>
      <translation>Für dieses Modell kann kein Text dieser Länge gemacht werden.
Wählen Sie einen längeren Kontext.</translation>
    </message>
    <message>
      <source>prompt_too_long</source>
      <translation>Der Text ist länger als ein Lesestück, und das Profil des Modells verbietet, ihn zu teilen.
Setzen Sie dynamic_split_fuse im Profil auf true, oder kürzen Sie die Nachricht.</translation>
    </message>
    <message>
      <source>protocol_unknown</source>
      <translation>Das Profil nennt ein Protokoll, das es nicht gibt.
Berichtigen Sie das Profil, oder löschen Sie es aus dem Ordner des Modells.</translation>
    </message>
    <message>
      <source>redirect_refused</source>
      <translation>Der Server leitet an eine Adresse weiter, der nicht gefolgt wird.
Versuchen Sie es später noch einmal, oder mit einem anderen Spiegelserver.</translation>
    </message>
    <message>
      <source>resolved_context_as_request</source>
      <translation>Ein errechneter Kontext wurde weitergegeben, als hätte ihn ein Mensch verlangt.
Starten Sie das Programm neu; geschieht es wieder, schicken Sie das Diagnosepaket.</translation>
    </message>
    <message>
      <source>revision_changed</source>
      <translation>Das Modell ist schon installiert, aber in einer anderen Fassung, als jetzt angeboten wird.
Stimmen Sie dem Wechsel zu, um die installierte zu ersetzen, oder brechen Sie ab, um sie zu behalten.</translation>
    </message>
    <message>
      <source>sampling_out_of_range</source>
      <translation>Ein Wert liegt außerhalb seines Bereichs.
Wählen Sie einen Wert innerhalb des Bereichs.</translation>
    </message>
    <message>
      <source>server_answer</source>
      <translation>Der Server antwortet anders als verlangt.
Versuchen Sie es später noch einmal, oder mit einem anderen Spiegelserver.</translation>
    </message>
    <message>
      <source>server_busy</source>
      <translation>Der Server ist überlastet oder außer Betrieb.
Warten Sie; der Download geht dort weiter, wo er stand.</translation>
    </message>
    <message>
      <source>setting_refused</source>
      <translation>Die Bibliothek weist einen Wert aus dem Profil des Modells zurück.
Berichtigen Sie das Profil, oder löschen Sie es aus dem Ordner des Modells.</translation>
    </message>
    <message>
      <source>slot_empty</source>
      <translation>Eine Anfrage lief ohne geladenes Modell.
Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
      <source>slot_transition</source>
      <translation>Die Engine ist in einem unmöglichen Zustand.
Starten Sie das Programm neu.</translation>
    </message>
    <message>
      <source>sparse_attention_unsupported</source>
      <translation>Das Profil des Modells verlangt XATTENTION, die auf einer CPU falsche Antworten gibt.
Entfernen Sie use_sparse_attention aus dem Profil, oder wählen Sie eine GPU.</translation>
    </message>
    <message>
      <source>state_damaged</source>
      <translation>Der gespeicherte Zustand des Kontexts ist nicht lesbar.
Senden Sie die Nachricht noch einmal; das Gespräch wird neu gelesen.</translation>
    </message>
    <message>
      <source>state_unwritable</source>
      <translation>Der Zustand des Kontexts kann nicht gespeichert werden.
Schaffen Sie Platz auf dem Datenträger, oder berichtigen Sie die Rechte des Ordners.</translation>
    </message>
    <message>
      <source>store_missing</source>
      <translation>Das Laufwerk oder der Ordner mit den Modellen ist nicht da.
Schließen Sie das Laufwerk an; die Modelle sind vermerkt und kommen mit ihm zurück.</translation>
    </message>
    <message>
      <source>store_unreadable</source>
      <translation>Der Ordner der Modelle kann nicht gelesen werden.
Berichtigen Sie seine Rechte, oder wählen Sie einen anderen Ordner für die Modelle.</translation>
    </message>
    <message>
      <source>summary_empty</source>
      <translation>Das Modell hat keine Zusammenfassung geschrieben.
Lassen Sie stattdessen die ältesten Fragen und Antworten weg, oder wählen Sie ein größeres Modell.</translation>
    </message>
    <message>
      <source>summary_too_long</source>
      <translation>Die älteste Nachricht ist zu lang, um zusammengefasst zu werden.
Lassen Sie stattdessen die ältesten Fragen und Antworten weg.</translation>
    </message>
    <message>
      <source>stalled</source>
      <translation>Das Gerät kam nicht mehr voran.
Senden Sie die Nachricht noch einmal, oder wählen Sie CPU.</translation>
    </message>
    <message>
      <source>template_failed</source>
      <translation>Die Chatvorlage des Modells kann nicht ausgeführt werden.
Wählen Sie ein anderes Modell, oder holen Sie dieses noch einmal.</translation>
    </message>
    <message>
      <source>template_missing</source>
      <translation>Dieses Modell hat keine Chatvorlage, also kann es kein Gespräch führen.
Wählen Sie ein Modell, das für Gespräche gemacht ist (instruct).</translation>
    </message>
    <message>
      <source>text_empty</source>
      <translation>Es gibt keinen Text zum Einbetten.
Lassen Sie leere Texte weg.</translation>
    </message>
    <message>
      <source>text_too_large</source>
      <translation>Das ist zu groß, um gespeichert zu werden.
Speichern Sie es in kleineren Teilen.</translation>
    </message>
    <message>
      <source>text_unbroken</source>
      <translation>In dem Text stehen mehr als 100 000 Zeichen ohne Leerzeichen, Umbruch oder Satzzeichen beieinander; ein solcher Text lässt sich nicht lesen.
Lassen Sie diese Stelle weg, oder fügen Sie Leerzeichen oder Umbrüche ein.</translation>
    </message>
    <message>
      <source>tokenizer_cuts</source>
      <translation>Der Text ist länger, als der Tokenizer dieses Modells verarbeitet, und hat keine Umbrüche oder Leerzeichen, an denen er geteilt werden kann.
Kürzen Sie den Text, oder fügen Sie Umbrüche ein.</translation>
    </message>
    <message>
      <source>tokenizers_missing</source>
      <translation>Eine Bibliothek dieses Programms fehlt oder ist beschädigt: openvino_tokenizers.
Installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>tool_call_malformed</source>
      <translation>Das Modell hat einen Werkzeugaufruf geschrieben, der nicht lesbar ist.
Senden Sie die Nachricht noch einmal, oder wählen Sie ein Modell, dessen Werkzeuge geprüft sind.</translation>
    </message>
    <message>
      <source>tool_schema_invalid</source>
      <translation>Die Beschreibung eines Werkzeugs ist ungültig.
Berichtigen Sie sie, oder senden Sie die Nachricht ohne das Werkzeug.</translation>
    </message>
    <message>
      <source>tools_not_supported</source>
      <translation>Dieses Modell kann keine Werkzeuge benutzen.
Wählen Sie ein Modell, dessen Werkzeuge geprüft sind, oder senden Sie die Nachricht ohne sie.</translation>
    </message>
    <message>
      <source>undo_in_the_way</source>
      <translation>Das Modell ist schon wieder installiert.
Behalten Sie es, oder löschen Sie es und machen Sie dann das frühere Löschen rückgängig.</translation>
    </message>
    <message>
      <source>undo_too_late</source>
      <translation>Das Modell ist endgültig gelöscht.
Holen Sie es noch einmal aus der Liste der Modelle.</translation>
    </message>
    <message>
      <source>unexpected</source>
      <translation>Damit hat das Programm nicht gerechnet.
Versuchen Sie es noch einmal; geschieht es wieder, schicken Sie das Diagnosepaket.</translation>
    </message>
    <message>
      <source>unknown_backend</source>
      <translation>Diesen Teil des Programms gibt es nicht.
Wählen Sie eine andere Variante des Modells.</translation>
    </message>
    <message>
      <source>unknown_device</source>
      <translation>Ein Gerät mit diesem Namen gibt es nicht.
Wählen Sie eines aus der Liste der Geräte.</translation>
    </message>
    <message>
      <source>unknown_device_kind</source>
      <translation>CONTENOX_OPENVINO_DEVICE_PRIORITY nennt eine Art von Gerät, die es nicht gibt.
Nennen Sie gpu (eigenständig), igpu (eingebaut) und cpu in der gewünschten Reihenfolge, durch Kommas getrennt.</translation>
    </message>
    <message>
      <source>unknown_kv_precision</source>
      <translation>Diese Genauigkeit des KV-Caches gibt es nicht.
Berichtigen Sie das Profil des Modells.</translation>
    </message>
    <message>
      <source>unsafe_file_name</source>
      <translation>Ein Dateiname in dieser Sammlung ist nicht sicher.
Wählen Sie ein anderes Modell der Liste; von diesem wurde nichts geschrieben.</translation>
    </message>
    <message>
      <source>variant_not_curated</source>
      <translation>Diese Variante des Modells gibt es nicht.
Wählen Sie eine der angebotenen.</translation>
    </message>
    <message>
      <source>version_mismatch</source>
      <translation>Eine Bibliothek hat eine andere Version als die, für die das Programm gebaut ist.
Installieren Sie das Programm neu.</translation>
    </message>
    <message>
      <source>wrong_digest</source>
      <translation>Die geholten Bytes sind nicht die, für die die Liste bürgt.
Nichts davon wurde behalten. Versuchen Sie es noch einmal; geschieht es wieder, trauen Sie diesem Server nicht.</translation>
    </message>
    <message>
      <source>wrong_size</source>
      <translation>Der Server bietet eine Datei in einer anderen Größe an, als sie haben soll.
Nichts davon wurde behalten. Versuchen Sie es später noch einmal, oder mit einem anderen Spiegelserver.</translation>
    </message>
  </context>
  <context>
    <name>catalogue</name>
    <message>
      <source>A large mixture of experts that computes like a small model; needs 32 GB.</source>
      <translation>Eine große Mischung von Experten, die wie ein kleines Modell rechnet; braucht 32 GB.</translation>
    </message>
    <message>
      <source>A test that a device runs at all; answers are poor.</source>
      <translation>Eine Probe, ob ein Gerät überhaupt läuft; die Antworten taugen wenig.</translation>
    </message>
    <message>
      <source>A very small thinking model.</source>
      <translation>Ein sehr kleines Modell, das nachdenkt.</translation>
    </message>
    <message>
      <source>Agentic coding on a machine with 32 GB.</source>
      <translation>Selbstständiges Programmieren auf einem Rechner mit 32 GB.</translation>
    </message>
    <message>
      <source>Better answers and longer thoughts on a laptop with 16 GB.</source>
      <translation>Bessere Antworten und längeres Nachdenken auf einem Laptop mit 16 GB.</translation>
    </message>
    <message>
      <source>Business texts and questions about long documents.</source>
      <translation>Geschäftliche Texte und Fragen zu langen Dokumenten.</translation>
    </message>
    <message>
      <source>Business texts, summaries and questions about documents.</source>
      <translation>Geschäftliche Texte, Zusammenfassungen und Fragen zu Dokumenten.</translation>
    </message>
    <message>
      <source>Chat and summaries of longer texts.</source>
      <translation>Gespräche und Zusammenfassungen längerer Texte.</translation>
    </message>
    <message>
      <source>Chat with optional thinking on a small machine.</source>
      <translation>Gespräche auf einem kleinen Rechner, auf Wunsch mit Nachdenken.</translation>
    </message>
    <message>
      <source>Code completion and explanations; for research use only.</source>
      <translation>Ergänzt und erklärt Code; nur für die Forschung.</translation>
    </message>
    <message>
      <source>Code completion on the smallest machines.</source>
      <translation>Ergänzt Code auf den kleinsten Rechnern.</translation>
    </message>
    <message>
      <source>Code in many languages; not for commercial use.</source>
      <translation>Code in vielen Sprachen; nicht für gewerbliche Nutzung.</translation>
    </message>
    <message>
      <source>Code with a long context; needs 32 GB.</source>
      <translation>Code mit langem Kontext; braucht 32 GB.</translation>
    </message>
    <message>
      <source>Everyday chat in many languages on a small machine.</source>
      <translation>Alltägliche Gespräche in vielen Sprachen auf einem kleinen Rechner.</translation>
    </message>
    <message>
      <source>Everyday chat in many languages; for research use only.</source>
      <translation>Alltägliche Gespräche in vielen Sprachen; nur für die Forschung.</translation>
    </message>
    <message>
      <source>General chat in six European languages, with optional thinking.</source>
      <translation>Gespräche in sechs europäischen Sprachen, auf Wunsch mit Nachdenken.</translation>
    </message>
    <message>
      <source>Larger code changes on a machine with 32 GB.</source>
      <translation>Größere Änderungen an Code auf einem Rechner mit 32 GB.</translation>
    </message>
    <message>
      <source>Long step by step reasoning on a laptop with 16 GB.</source>
      <translation>Langes schrittweises Nachdenken auf einem Laptop mit 16 GB.</translation>
    </message>
    <message>
      <source>Quick code completion and small edits.</source>
      <translation>Schnelle Ergänzungen und kleine Änderungen an Code.</translation>
    </message>
    <message>
      <source>Reasoned answers and maths in a small size.</source>
      <translation>Durchdachte Antworten und Mathematik in kleiner Größe.</translation>
    </message>
    <message>
      <source>Short English chats on a small machine.</source>
      <translation>Kurze englische Gespräche auf einem kleinen Rechner.</translation>
    </message>
    <message>
      <source>Short chats and summaries on a small machine.</source>
      <translation>Kurze Gespräche und Zusammenfassungen auf einem kleinen Rechner.</translation>
    </message>
    <message>
      <source>Step by step reasoning on a small machine.</source>
      <translation>Schrittweises Nachdenken auf einem kleinen Rechner.</translation>
    </message>
    <message>
      <source>Step by step reasoning, maths and logic.</source>
      <translation>Schrittweises Nachdenken, Mathematik und Logik.</translation>
    </message>
    <message>
      <source>Strong general answers on a machine with 32 GB.</source>
      <translation>Starke Antworten aller Art auf einem Rechner mit 32 GB.</translation>
    </message>
    <message>
      <source>Strong reasoning and tool use; needs 24 GB or more.</source>
      <translation>Starkes Nachdenken und Werkzeuge; braucht 24 GB oder mehr.</translation>
    </message>
    <message>
      <source>The everyday model: chat, writing and thinking on a laptop with 8 GB.</source>
      <translation>Das Modell für jeden Tag: Gespräche, Schreiben und Nachdenken auf einem Laptop mit 8 GB.</translation>
    </message>
    <message>
      <source>The largest coder of its family, for workstations.</source>
      <translation>Der größte Programmierer seiner Familie, für Workstations.</translation>
    </message>
    <message>
      <source>The small starter: tries the program in a minute; its answers are simple.</source>
      <translation>Das kleine Startmodell: Damit ist das Programm in einer Minute ausprobiert; seine Antworten sind einfach.</translation>
    </message>
    <message>
      <source>Very short tasks on the smallest machines.</source>
      <translation>Sehr kurze Aufgaben auf den kleinsten Rechnern.</translation>
    </message>
    <message>
      <source>Writing and explaining code on a laptop with 16 GB.</source>
      <translation>Code schreiben und erklären auf einem Laptop mit 16 GB.</translation>
    </message>
  </context>
  <context>
    <name>Steering</name>
    <message>
      <source>What to measure</source>
      <translation>Was gemessen wird</translation>
    </message>
    <message>
      <source>Export</source>
      <translation>Exportieren</translation>
    </message>
    <message>
      <source>The pictures (PNG)…</source>
      <translation>Die Bilder (PNG) …</translation>
    </message>
    <message>
      <source>The certificates (JSON)…</source>
      <translation>Die Zertifikate (JSON) …</translation>
    </message>
    <message>
      <source>A page to read (Markdown)…</source>
      <translation>Eine Seite zum Lesen (Markdown) …</translation>
    </message>
    <message>
      <source>Stop</source>
      <translation>Anhalten</translation>
    </message>
    <message>
      <source>Quick check (about a minute)</source>
      <translation>Kurzprüfung (etwa eine Minute)</translation>
    </message>
    <message>
      <source>Quick check</source>
      <translation>Kurzprüfung</translation>
    </message>
    <message>
      <source>Certify</source>
      <translation>Zertifizieren</translation>
    </message>
    <message>
      <source>about {time} left</source>
      <translation>noch etwa {time}</translation>
    </message>
    <message>
      <source>longer than expected</source>
      <translation>länger als erwartet</translation>
    </message>
    <message>
      <source>Stopping</source>
      <translation>Wird angehalten</translation>
    </message>
  </context>
  <context>
    <name>phrases</name>
    <message>
      <source>it decodes at {ratio} of the control's rate; {needed} is needed</source>
      <translation>es schreibt mit {ratio} der Rate der bloßen Bibliothek; nötig ist {needed}</translation>
    </message>
    <message>
      <source>nothing was measured</source>
      <translation>nichts wurde gemessen</translation>
    </message>
    <message>
      <source>there is no control to compare with</source>
      <translation>es gibt keine bloße Bibliothek zum Vergleich</translation>
    </message>
    <message>
      <source>product and control did not read the same token ids</source>
      <translation>Programm und Bibliothek haben nicht dieselben Token gelesen</translation>
    </message>
    <message>
      <source>the machine was busy: the product can't decode at {ratio} of its library's rate</source>
      <translation>der Rechner war beschäftigt: das Programm kann nicht mit {ratio} der Rate seiner Bibliothek schreiben</translation>
    </message>
    <message>
      <source>the machine changed meanwhile: the control decoded {first} tokens/s at the beginning and {last} at the end</source>
      <translation>der Rechner hat sich inzwischen verändert: die Bibliothek schrieb am Anfang {first} Token/s und am Ende {last}</translation>
    </message>
    <message>
      <source>the machine was busy: the control's rates lie {width} apart</source>
      <translation>der Rechner war beschäftigt: die Raten der Bibliothek liegen {width} auseinander</translation>
    </message>
    <message>
      <source>the power went from {first} to {last}</source>
      <translation>die Stromquelle wechselte von {first} zu {last}</translation>
    </message>
    <message>
      <source>the quick run is too short for more</source>
      <translation>die Kurzprüfung ist zu kurz für mehr</translation>
    </message>
    <message>
      <source>It fits: {weights} of weights + {kv} of KV cache for {tokens} tokens + {working} of working space = {total}, and {usable} can be used on {device}.</source>
      <translation>Es passt: {weights} Gewichte + {kv} KV-Cache für {tokens} Token + {working} Arbeitsspeicher = {total}; auf {device} sind {usable} nutzbar.</translation>
    </message>
    <message>
      <source>It fits with little to spare: {weights} of weights + {kv} of KV cache for {tokens} tokens + {working} of working space = {total}, and {usable} can be used on {device}.</source>
      <translation>Es passt knapp: {weights} Gewichte + {kv} KV-Cache für {tokens} Token + {working} Arbeitsspeicher = {total}; auf {device} sind {usable} nutzbar.</translation>
    </message>
    <message>
      <source>It does not fit: {weights} of weights + {kv} of KV cache for {tokens} tokens + {working} of working space = {total}, and {usable} can be used on {device} ({free} are free, {reserve} of them stay reserved).</source>
      <translation>Es passt nicht: {weights} Gewichte + {kv} KV-Cache für {tokens} Token + {working} Arbeitsspeicher = {total}; auf {device} sind {usable} nutzbar ({free} sind frei, {reserve} davon bleiben in Reserve).</translation>
    </message>
    <message>
      <source>It does not fit: {tokens} tokens need a KV cache of {kv}, and the pool that the program or the profile sets is smaller.</source>
      <translation>Es passt nicht: {tokens} Token brauchen einen KV-Cache von {kv}, und der Vorrat, den das Programm oder das Profil festlegt, ist kleiner.</translation>
    </message>
    <message>
      <source>Converted from {source}</source>
      <translation>Umgewandelt aus {source}</translation>
    </message>
    <message>
      <source>{package} (package index)</source>
      <translation>{package} (Paketverzeichnis)</translation>
    </message>
    <message>
      <source>{format} (converted from {other})</source>
      <translation>{format} (umgewandelt aus {other})</translation>
    </message>
  </context>
  <context>
    <name>evidence</name>
    <message>
      <source>A chat model; nobody has judged its hidden states as embeddings.</source>
      <translation>Ein Chatmodell; niemand hat geprüft, ob sich aus ihm Einbettungen gewinnen lassen.</translation>
    </message>
    <message>
      <source>Answers in whole sentences and ends with its own end token on OpenVINO GenAI 2026.4.1, CPU; a test of this program repeats it.</source>
      <translation>Antwortet auf OpenVINO GenAI 2026.4.1 (CPU) in ganzen Sätzen und endet mit seinem eigenen Endzeichen; ein Test dieses Programms wiederholt das.</translation>
    </message>
    <message>
      <source>Answers in whole sentences and ends with its own end token on llama.cpp, CPU. A model this small may name a wrong fact where OpenVINO names the right one, and the other way round.</source>
      <translation>Antwortet auf llama.cpp (CPU) in ganzen Sätzen und endet mit seinem eigenen Endzeichen. Ein so kleines Modell nennt manchmal etwas Falsches, wo OpenVINO das Richtige nennt, und umgekehrt.</translation>
    </message>
    <message>
      <source>Nobody has measured this.</source>
      <translation>Das hat niemand gemessen.</translation>
    </message>
    <message>
      <source>None: neither the chat template nor the vocabulary has marks for thinking.</source>
      <translation>Keiner: Weder die Chatvorlage noch das Vokabular hat Zeichen für das Nachdenken.</translation>
    </message>
    <message>
      <source>None: no protocol for tools is known for this model; not run here.</source>
      <translation>Keiner: Für dieses Modell ist kein Verfahren für Werkzeuge bekannt; hier nicht ausgeführt.</translation>
    </message>
    <message>
      <source>None: the model thinks in channels of its own format, which no parser here has been tried on.</source>
      <translation>Keiner: Das Modell denkt in Kanälen eines eigenen Formats, das hier noch nicht erprobt wurde.</translation>
    </message>
    <message>
      <source>None: the model's chat template has no place for tools.</source>
      <translation>Keiner: Die Chatvorlage des Modells hat keinen Platz für Werkzeuge.</translation>
    </message>
    <message>
      <source>None: the publisher describes no marks for thinking; not run here.</source>
      <translation>Keiner: Der Herausgeber beschreibt keine Zeichen für das Nachdenken; hier nicht ausgeführt.</translation>
    </message>
    <message>
      <source>The protocol that a neighbouring program uses for this model; not run here, so tools are not offered.</source>
      <translation>Das Verfahren, das ein anderes Programm für dieses Modell verwendet; hier nicht ausgeführt, deshalb werden Werkzeuge nicht angeboten.</translation>
    </message>
    <message>
      <source>The publisher says it is a chat model; nobody has run it on OpenVINO GenAI here yet.</source>
      <translation>Der Herausgeber nennt es ein Chatmodell; auf OpenVINO GenAI hat es hier noch niemand ausgeführt.</translation>
    </message>
    <message>
      <source>The publisher says it is a chat model; nobody has run it on llama.cpp here yet.</source>
      <translation>Der Herausgeber nennt es ein Chatmodell; auf llama.cpp hat es hier noch niemand ausgeführt.</translation>
    </message>
    <message>
      <source>The publisher says that each answer begins with thoughts that end in &lt;/think&gt;; not run here.</source>
      <translation>Der Herausgeber sagt, dass jede Antwort mit Gedanken beginnt, die mit &lt;/think&gt; enden; hier nicht ausgeführt.</translation>
    </message>
    <message>
      <source>The publisher says that thoughts stand between &lt;think&gt; and &lt;/think&gt; and can be turned off; not run here.</source>
      <translation>Der Herausgeber sagt, dass Gedanken zwischen &lt;think&gt; und &lt;/think&gt; stehen und abgeschaltet werden können; hier nicht ausgeführt.</translation>
    </message>
  </context>
</TS>
