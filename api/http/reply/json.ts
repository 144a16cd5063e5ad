/** Responds with what an activity returns. */
export async function json<const Status extends number, Body>(status: Status, work: Promise<Body>) {
  return { status, body: await work };
}
