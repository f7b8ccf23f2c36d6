/** What a procedure of the client answers. */
export type inferOutput<P extends (...inputs: never[]) => Promise<unknown>> = Awaited<ReturnType<P>>
