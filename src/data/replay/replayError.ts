/** The moment cannot be replayed; the message is one line. */
export class ReplayError extends Error {}
