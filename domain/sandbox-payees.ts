/** No bank has the sort code 00-99-00. */
export const SANDBOX_PAYEES = [
  payee('prov_sandbox_instant', 'Sandbox Instant Energy', 'UTILITIES', '00000001'),
  payee('prov_sandbox_slow', 'Sandbox Slow Council', 'COUNCIL_TAX', '00000002'),
  payee('prov_sandbox_reject', 'Sandbox Rejecting Rail', 'TRANSPORT', '00000003'),
  payee('prov_sandbox_reject_once', 'Sandbox Reject Once Telecom', 'TELECOMS', '00000004'),
  payee('prov_sandbox_unavailable', 'Sandbox Unavailable Insurance', 'INSURANCE', '00000005'),
  payee('prov_sandbox_lost_reply', 'Sandbox Lost Reply Lettings', 'HOUSING', '00000006'),
  payee('prov_sandbox_forbidden', 'Sandbox Forbidden Card', 'CREDIT', '00000007'),
  payee('prov_sandbox_return', 'Sandbox Return Nursery', 'CHILDCARE', '00000008'),
  payee('prov_sandbox_blocked', 'Sandbox Blocked Magazine', 'SUBSCRIPTIONS', '00000009'),
] as const;

export type SandboxPayeeId = (typeof SANDBOX_PAYEES)[number]['providerId'];

export function sandboxPayeeAt(sortCode: string, accountNumber: string) {
  return SANDBOX_PAYEES.find((known) => known.sortCode === sortCode && known.accountNumber === accountNumber);
}

function payee<const Id extends string, const Category extends string>(
  providerId: Id,
  name: string,
  category: Category,
  accountNumber: string,
) {
  return { providerId, name, category, sortCode: '009900', accountNumber };
}
