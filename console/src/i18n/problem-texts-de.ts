import type { ProblemTexts } from './problem-texts.ts'

/** What is wrong and what to do, in German. The API writes English. */
export const texts: ProblemTexts = {
  problems: {
    'bad-request': 'Die Anfrage ist nicht lesbar. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    'method-not-allowed': 'Das ist hier nicht möglich. Laden Sie die Seite neu.',
    'request-timeout':
      'Die Anfrage kam nicht rechtzeitig an. Versuchen Sie es noch einmal; senden Sie bei langsamer Verbindung weniger auf einmal.',
    'payload-too-large': 'Das ist zu viel auf einmal. Senden Sie weniger.',
    'unsupported-media-type': 'Dieses Format wird nicht angenommen. Laden Sie die Seite neu.',
    'expectation-failed':
      'Die Anfrage verlangt etwas, das der Dienst nicht kann. Versuchen Sie es noch einmal.',
    'organization-frozen':
      'Gerade kann nichts geändert werden, nur gelesen. Versuchen Sie es in einer Minute noch einmal.',
    'organization-moved': 'Ihre Organisation ist umgezogen. Laden Sie die Seite neu.',
    'headers-too-large': 'Die Anfrage ist zu groß. Melden Sie sich ab und wieder an.',
    'unsupported-media':
      'Dieser Dateityp wird nicht angenommen, oder die Datei ist leer oder beschädigt. Speichern Sie ein Bild als JPEG, eine Tabelle als CSV.',
    'file-too-large':
      'Die Datei ist zu groß. Ein Bild hat höchstens 10 MiB (4000 Pixel Breite genügen), eine Tabelle höchstens 20 MiB.',
    'quota-exceeded': 'Der Speicherplatz ist voll. Löschen Sie Fotos, die nicht mehr gebraucht werden.',
    'price-below-minimum':
      'Ein Preis liegt unter dem Mindestpreis der Einheit. Setzen Sie einen höheren Preis oder senken Sie den Mindestpreis.',
    'validation-error': 'Eine Angabe fehlt oder ist nicht gültig. Prüfen Sie die Felder.',
    'malformed-json':
      'Die Angaben enthalten Zeichen, die nicht gespeichert werden können. Entfernen Sie sie.',
    'invalid-cursor': 'Die Liste hat sich geändert. Beginnen Sie wieder am Anfang.',
    unauthorized: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich neu an.',
    'invalid-signature':
      'Die Signatur der Nachricht stimmt nicht. Prüfen Sie das Geheimnis auf beiden Seiten.',
    forbidden: 'Sie haben dafür keine Berechtigung. Bitten Sie einen Eigentümer Ihrer Organisation darum.',
    'admin-required': 'Das dürfen nur Administratoren und Eigentümer. Bitten Sie einen von ihnen.',
    'identity-conflict':
      'Die E-Mail-Adresse gehört zu einer anderen Anmeldung. Wenden Sie sich an einen Eigentümer Ihrer Organisation.',
    'organization-required':
      'Sie gehören zu mehreren Organisationen. Wählen Sie im Menü Ihres Kontos, für welche Sie arbeiten.',
    'not-found': 'Diesen Datensatz gibt es nicht oder nicht mehr. Laden Sie die Liste neu.',
    'no-such-path': 'Diese Funktion gibt es nicht. Laden Sie die Seite neu.',
    'booking-conflict':
      'Für diesen Aufenthalt ist kein Zimmer frei. Wählen Sie andere Tage oder eine andere Einheit.',
    'booking-ended': 'Die Buchung ist beendet und kann nicht mehr geändert werden. Legen Sie eine neue an.',
    'quote-expired': 'Das Angebot ist abgelaufen. Berechnen Sie ein neues.',
    'quote-used': 'Mit diesem Angebot wurde schon gebucht. Berechnen Sie ein neues.',
    'duplicate-mapping':
      'Diese Einheit oder dieses Zimmer ist dort schon verknüpft. Ändern Sie das vorhandene Inserat oder wählen Sie ein anderes Zimmer.',
    'already-exists':
      'Das gibt es schon. Ändern Sie den vorhandenen Datensatz oder wählen Sie einen anderen Wert.',
    'limit-reached': 'Die Höchstzahl ist erreicht. Löschen Sie, was nicht mehr gebraucht wird.',
    'resource-in-use':
      'Anderes hängt noch davon ab. Lösen oder verschieben Sie es zuerst, oder archivieren Sie.',
    'resource-archived':
      'Das ist archiviert und kann nur gelesen werden. Setzen Sie den Status zuerst auf inaktiv.',
    'invalid-status-transition':
      'Aus dem jetzigen Status ist das nicht möglich. Laden Sie neu und sehen Sie nach, was sich geändert hat.',
    'listing-paused': 'Das Inserat ist angehalten, es wird nichts gesendet. Setzen Sie es zuerst fort.',
    'target-inactive': 'Der Kanal ist nicht aktiv, es wird nichts gesendet. Aktivieren Sie ihn zuerst.',
    'endpoint-disabled':
      'Der Webhook ist ausgeschaltet, es wird nichts gesendet. Schalten Sie ihn zuerst ein.',
    'not-failed': 'Hier ist nichts mehr fehlgeschlagen. Laden Sie die Liste neu.',
    'pms-refused': 'Das PMS hat abgelehnt. Prüfen Sie Zugangsdaten und Einstellungen des Kanals.',
    'dates-unavailable':
      'Der Aufenthalt ist nicht verfügbar: Nächte sind belegt, oder Regeln des Kalenders lassen ihn nicht zu. Wählen Sie andere Tage.',
    'unit-not-bookable':
      'Die Einheit kann nicht gebucht werden. Aktivieren Sie Einheit, Haus und Ratenplan, oder wählen Sie eine andere.',
    'idempotency-in-progress': 'Die erste Anfrage läuft noch. Warten Sie einen Moment.',
    conflict: 'Jemand hat gleichzeitig dasselbe geändert. Versuchen Sie es noch einmal.',
    'precondition-failed':
      'Inzwischen wurde der Datensatz geändert. Laden Sie ihn neu und ändern Sie ihn dann.',
    'semantic-error': 'Die Angaben passen nicht zusammen. Prüfen Sie die Felder.',
    'stay-in-the-past': 'Die Anreise liegt in der Vergangenheit. Wählen Sie einen späteren Tag.',
    'reference-not-found':
      'Etwas, worauf sich die Angaben beziehen, gibt es nicht mehr. Laden Sie neu und wählen Sie es noch einmal.',
    'idempotency-key-reused':
      'Die Anfrage wurde schon mit anderen Angaben gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    'internal-error':
      'Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es noch einmal oder nennen Sie dem Support die Anfrage-ID.',
    unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es gleich noch einmal.',
    'pms-unavailable': 'Das PMS ist vorübergehend nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    'rate-limited': 'Zu viele Anfragen auf einmal. Versuchen Sie es gleich noch einmal.',
  },
  rules: {
    required: 'Das wird gebraucht.',
    unknown_member: 'Diese Angabe gibt es hier nicht.',
    wrong_type: 'Das hat die falsche Art.',
    unknown_value: 'Das steht nicht zur Wahl.',
    too_small: 'Das ist zu klein: mindestens {limit}.',
    too_short: 'Das ist zu kurz: mindestens {limit} Zeichen.',
    too_few: 'Das sind zu wenige: mindestens {limit}.',
    too_large: 'Das ist zu groß: höchstens {limit}.',
    too_long: 'Das ist zu lang: höchstens {limit} Zeichen.',
    too_many: 'Das sind zu viele: höchstens {limit}.',
    wrong_format: 'Die Form stimmt nicht.',
    wrong_format_example: 'Die Form stimmt nicht. Richtig ist zum Beispiel {example}.',
    wrong_step: 'Das ist kein Vielfaches von {limit}.',
    duplicate: 'Das kommt doppelt vor.',
    reference_not_found: 'Das gibt es nicht oder nicht mehr.',
    ambiguous: 'Mehrere Einheiten heißen so. Ordnen Sie eine Spalte dem Objekt zu, oder nennen Sie Nummern.',
    erased: 'Die Daten des Gastes wurden gelöscht.',
    read_only: 'Das kann nicht geändert werden.',
    below_minimum: 'Das liegt unter dem Mindestpreis der Einheit.',
    past: 'Das liegt in der Vergangenheit.',
    not_integer: 'Hier steht eine ganze Zahl von {first} bis {limit}.',
    not_number: 'Hier steht eine Zahl von {first} bis {limit}.',
    not_amount: 'Das ist kein Betrag wie 1.234,50.',
    other_currency:
      'Dieser Betrag nennt eine andere Währung. Geben Sie die Währung in einer Spalte an oder berichtigen Sie den Betrag.',
    no_price:
      'Ein Preis von 0 würde die Nächte umsonst verkaufen. Geben Sie hier einen Preis an; was umsonst ist, wird nach dem Import von Hand gesetzt.',
    not_date: 'Das ist kein Datum. Prüfen Sie, ob bei den Spalten Tag oder Monat zuerst gewählt ist.',
    not_flag: 'Hier steht Ja oder Nein.',
    too_many_cells:
      'Die Zeile hat mehr Werte als die Kopfzeile. Setzen Sie Werte, die das Trennzeichen enthalten, in Anführungszeichen.',
    stay_length: 'Ein Aufenthalt hat {first} bis {limit} Nächte.',
    not_text: 'Die Datei ist kein Text. Speichern Sie sie als CSV (UTF-8).',
    not_json: 'Die Datei ist keine Liste von Objekten in gültigem JSON.',
    not_csv: 'Die Datei ist kein gültiges CSV. Speichern Sie die Tabelle noch einmal als CSV (UTF-8).',
    no_rows: 'Die Datei hat unter der Kopfzeile keine Zeilen.',
  },
}
