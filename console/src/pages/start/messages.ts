import { defineMessages } from '../../i18n/messages.ts'

export const startMessages = defineMessages({
  en: {
    title: 'Get ready to sell',
    progress: '{done} of {count} steps done',
    finished: 'All done: what you change here is sent to your channels by itself.',
    steps: 'Steps',
    done: 'Done',
    open: 'Show: {step}',
    show: 'Show',
    units: 'Add your units',
    unitsText:
      'A space is a house with an address and a time zone; its units are what guests book: an apartment, or a kind of room.',
    unitsAction: 'Add a unit',
    unitsImport: 'Or import them from your PMS or a file',
    connect: 'Connect your PMS',
    connectText:
      'Enter its address and credentials. The connection is tested before anything is saved, and nothing is sent yet.',
    connectAction: 'Connect a PMS',
    link: 'Link units with rooms of the PMS',
    linkText:
      'Matches are suggested. Before anything is sent you see night by night what would change at the PMS.',
    linkAction: 'Link units',
    sync: 'Go live',
    syncText:
      'The first sync sends prices and availability. From then on every change follows within seconds.',
    syncAction: 'Go live',
    waitsFor: 'After “{step}”',
    noPermission: 'Your role does not allow this. Ask a manager or an owner.',
    toToday: 'Go to Today',
    loadFailed: 'The steps could not be loaded',
    tryAgain: 'Try again',
  },
  de: {
    title: 'Startklar werden',
    progress: '{done} von {count} Schritten erledigt',
    finished: 'Alles erledigt: Was Sie hier ändern, geht von selbst an Ihre Kanäle.',
    steps: 'Schritte',
    done: 'Erledigt',
    open: 'Zeigen: {step}',
    show: 'Zeigen',
    units: 'Einheiten anlegen',
    unitsText:
      'Ein Objekt ist ein Haus mit Adresse und Zeitzone; seine Einheiten sind das, was Gäste buchen: eine Wohnung oder eine Zimmerart.',
    unitsAction: 'Einheit anlegen',
    unitsImport: 'Oder aus dem PMS oder einer Datei importieren',
    connect: 'PMS verbinden',
    connectText:
      'Geben Sie Adresse und Zugangsdaten ein. Die Verbindung wird geprüft, bevor etwas gespeichert wird, und noch wird nichts gesendet.',
    connectAction: 'PMS verbinden',
    link: 'Einheiten mit Zimmern des PMS verknüpfen',
    linkText:
      'Passende Zimmer werden vorgeschlagen. Bevor etwas gesendet wird, sehen Sie Nacht für Nacht, was sich beim PMS ändern würde.',
    linkAction: 'Einheiten verknüpfen',
    sync: 'Live gehen',
    syncText:
      'Der erste Abgleich sendet Preise und Verfügbarkeit. Danach folgt jede Änderung binnen Sekunden.',
    syncAction: 'Live gehen',
    waitsFor: 'Nach „{step}“',
    noPermission: 'Ihre Rolle erlaubt das nicht. Fragen Sie jemanden mit der Rolle Manager oder Owner.',
    toToday: 'Zu Heute',
    loadFailed: 'Die Schritte konnten nicht geladen werden',
    tryAgain: 'Erneut versuchen',
  },
  pt: {
    title: 'Preparar para vender',
    progress: '{done} de {count} passos concluídos',
    finished: 'Tudo pronto: o que alterar aqui é enviado aos seus canais automaticamente.',
    steps: 'Passos',
    done: 'Concluído',
    open: 'Mostrar: {step}',
    show: 'Mostrar',
    units: 'Adicionar as suas unidades',
    unitsText:
      'Uma propriedade é uma casa com morada e fuso horário; as suas unidades são o que os hóspedes reservam: um apartamento ou um tipo de quarto.',
    unitsAction: 'Adicionar uma unidade',
    unitsImport: 'Ou importá-las do seu PMS ou de um ficheiro',
    connect: 'Ligar o seu PMS',
    connectText:
      'Indique o endereço e as credenciais. A ligação é testada antes de guardar, e ainda nada é enviado.',
    connectAction: 'Ligar um PMS',
    link: 'Associar unidades aos quartos do PMS',
    linkText:
      'São sugeridas correspondências. Antes de qualquer envio vê, noite a noite, o que mudaria no PMS.',
    linkAction: 'Associar unidades',
    sync: 'Entrar em funcionamento',
    syncText:
      'A primeira sincronização envia preços e disponibilidade. Depois, cada alteração segue em segundos.',
    syncAction: 'Entrar em funcionamento',
    waitsFor: 'Depois de «{step}»',
    noPermission: 'A sua função não o permite. Peça a um gestor ou proprietário.',
    toToday: 'Ir para Hoje',
    loadFailed: 'Não foi possível carregar os passos',
    tryAgain: 'Tentar novamente',
  },
})
