/** The mark of commit records that recovery wrote for lines whose sender was never answered: a sender who repeats may find its lines there. */
export const RECOVERED_MARK = 'recovered';
