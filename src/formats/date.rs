//! Days of the calendar.

/// The day, `YYYY-MM-DD` in UTC, of a time given in seconds from the beginning of 1970 (the algorithm of Howard Hinnant,
/// "chrono-compatible low-level date algorithms", `civil_from_days`).
///
/// ```
/// assert_eq!(carat::formats::date::day(951_782_400), "2000-02-29");
/// ```
pub fn day(seconds: u64) -> String {
    const DAYS_OF_ERA: u64 = 146_097;
    // From the 1st of March of the year 0, so that the day that is left out comes last in its year.
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (1_709_164_800, "2024-02-29"),
            (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), expected);
        }
    }
}
