import type { ProblemTexts } from './problem-texts.ts'

/** What is wrong and what to do, in Portuguese. The API writes English. */
export const texts: ProblemTexts = {
  problems: {
    'bad-request': 'Não foi possível ler o pedido. Recarregue a página e tente novamente.',
    'method-not-allowed': 'Isto não é possível aqui. Recarregue a página.',
    'request-timeout':
      'O pedido não chegou a tempo. Tente novamente; com uma ligação lenta, envie menos de cada vez.',
    'payload-too-large': 'São demasiados dados de uma vez. Envie menos.',
    'unsupported-media-type': 'Este formato não é aceite. Recarregue a página.',
    'expectation-failed': 'O pedido exige algo que o serviço não suporta. Tente novamente.',
    'headers-too-large': 'O pedido é demasiado grande. Termine a sessão e entre novamente.',
    'unsupported-media':
      'Este tipo de ficheiro não é aceite ou o ficheiro está vazio ou danificado. Guarde uma imagem como JPEG e uma tabela como CSV.',
    'file-too-large':
      'O ficheiro é demasiado grande. Uma imagem tem no máximo 10 MiB (4000 píxeis de largura bastam) e uma tabela 20 MiB.',
    'quota-exceeded': 'O espaço de armazenamento está cheio. Elimine fotografias que já não são necessárias.',
    'price-below-minimum':
      'Um preço está abaixo do mínimo da unidade. Defina um preço mais alto ou baixe o mínimo.',
    'validation-error': 'Falta um dado ou um dado não é válido. Verifique os campos.',
    'malformed-json': 'Os dados contêm carateres que não podem ser guardados. Remova-os.',
    'invalid-cursor': 'A lista mudou. Comece de novo no início.',
    unauthorized: 'A sua sessão terminou. Entre novamente.',
    'invalid-signature': 'A assinatura da mensagem não é válida. Verifique o segredo dos dois lados.',
    forbidden: 'Não tem permissão para isto. Peça-a a um proprietário da sua organização.',
    'admin-required': 'Só administradores e proprietários o podem fazer. Peça a um deles.',
    'identity-conflict':
      'O endereço de e-mail pertence a outra identidade. Contacte um proprietário da sua organização.',
    'organization-required':
      'Pertence a várias organizações. Escolha no menu da sua conta para qual trabalha.',
    'not-found': 'Este registo não existe ou já não existe. Recarregue a lista.',
    'no-such-path': 'Esta função não existe. Recarregue a página.',
    'booking-conflict': 'Não há quarto livre para esta estadia. Escolha outras datas ou outra unidade.',
    'booking-ended': 'A reserva terminou e já não pode ser alterada. Crie uma nova.',
    'quote-expired': 'O orçamento expirou. Calcule um novo.',
    'quote-used': 'Este orçamento já foi usado numa reserva. Calcule um novo.',
    'duplicate-mapping':
      'Esta unidade ou este quarto já está ligado. Altere o anúncio existente ou escolha outro quarto.',
    'already-exists': 'Já existe. Altere o registo existente ou escolha outro valor.',
    'limit-reached': 'O número máximo foi atingido. Elimine o que já não é necessário.',
    'resource-in-use': 'Há registos que dependem deste. Remova-os ou mova-os primeiro, ou arquive-o.',
    'resource-archived': 'Está arquivado e só pode ser lido. Mude primeiro o estado para inativo.',
    'invalid-status-transition': 'Não é possível a partir do estado atual. Recarregue e veja o que mudou.',
    'listing-paused': 'O anúncio está em pausa e nada é enviado. Retome-o primeiro.',
    'target-inactive': 'O canal não está ativo e nada é enviado. Ative-o primeiro.',
    'endpoint-disabled': 'O webhook está desativado e nada é enviado. Ative-o primeiro.',
    'not-failed': 'Aqui já não há falhas. Recarregue a lista.',
    'pms-refused': 'O PMS recusou. Verifique as credenciais e as definições do canal.',
    'dates-unavailable':
      'A estadia não está disponível: há noites ocupadas ou as regras do calendário não a permitem. Escolha outras datas.',
    'unit-not-bookable':
      'A unidade não pode ser reservada. Ative a unidade, o espaço e o plano tarifário, ou escolha outra.',
    'idempotency-in-progress': 'O primeiro pedido ainda está em curso. Aguarde um momento.',
    conflict: 'Alguém alterou o mesmo ao mesmo tempo. Tente novamente.',
    'precondition-failed': 'O registo foi alterado entretanto. Recarregue-o e altere-o depois.',
    'semantic-error': 'Os dados não são compatíveis entre si. Verifique os campos.',
    'stay-in-the-past': 'A chegada está no passado. Escolha um dia posterior.',
    'reference-not-found': 'Algo a que os dados se referem já não existe. Recarregue e escolha novamente.',
    'idempotency-key-reused':
      'O pedido já foi enviado com outros dados. Recarregue a página e tente novamente.',
    'internal-error':
      'Algo correu mal do nosso lado. Tente novamente ou indique o identificador do pedido ao suporte.',
    unavailable: 'O serviço está temporariamente indisponível. Tente novamente dentro de momentos.',
    'pms-unavailable': 'O PMS está temporariamente indisponível. Tente novamente dentro de momentos.',
    'rate-limited': 'Demasiados pedidos ao mesmo tempo. Tente novamente dentro de momentos.',
  },
  rules: {
    required: 'É necessário.',
    unknown_member: 'Este dado não existe aqui.',
    wrong_type: 'O tipo não está certo.',
    unknown_value: 'Não é uma das opções.',
    too_small: 'É demasiado pequeno: no mínimo {limit}.',
    too_short: 'É demasiado curto: no mínimo {limit} carateres.',
    too_few: 'São poucos: no mínimo {limit}.',
    too_large: 'É demasiado grande: no máximo {limit}.',
    too_long: 'É demasiado longo: no máximo {limit} carateres.',
    too_many: 'São demasiados: no máximo {limit}.',
    wrong_format: 'O formato não está certo.',
    wrong_step: 'Não é um múltiplo de {limit}.',
    duplicate: 'Está repetido.',
    reference_not_found: 'Não existe ou já não existe.',
    ambiguous: 'Várias unidades têm este nome. Associe uma coluna à propriedade, ou use números.',
    erased: 'Os dados do hóspede foram apagados.',
    read_only: 'Não pode ser alterado.',
    below_minimum: 'Está abaixo do preço mínimo da unidade.',
    past: 'Está no passado.',
  },
}
