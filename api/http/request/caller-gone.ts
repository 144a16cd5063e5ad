/** The caller can no longer get a response to this request. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}
