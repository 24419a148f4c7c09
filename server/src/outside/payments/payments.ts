/** Whether the payment provider answers and accepts the key; true when none is configured. */
export async function paymentsReachable(url: string | null, apiKey: string | null): Promise<boolean> {
  if (!url) return true
  const answer = await fetch(`${url.replace(/\/+$/, '')}/v1/balance`, {
    redirect: 'error',
    signal: AbortSignal.timeout(2_000),
    headers: { authorization: `Bearer ${apiKey ?? ''}` },
  })
  return answer.ok
}
