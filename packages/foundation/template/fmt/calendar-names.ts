/** time.Month's names; January is the first. */
export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** time.Weekday's names; Sunday is the first. */
export const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
