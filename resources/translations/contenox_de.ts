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
      <source>Choose…</source>
      <translation>Wählen…</translation>
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
      <source>The pinned files, the message and the answer alone take {fixed}. Unpin a file, or shorten the message.</source>
      <translation>Die angehefteten Dateien, die Nachricht und die Antwort brauchen allein schon {fixed}. Lösen Sie eine Datei, oder kürzen Sie die Nachricht.</translation>
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
      <source>Changes</source>
      <translation>Änderungen</translation>
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
  </context>
</TS>
