//! Dates and times as texts (RFC 3339).

/// The date that is `days` after 1970-01-01, as `2024-05-06`; `None` beyond the years 0 to 9999.
pub(crate) fn date(days: i64) -> Option<String> {
    // Years begin in March here, so that a leap day is a year's last (Howard Hinnant, "chrono-compatible low-level date
    // algorithms").
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// The time that is `units` after 1970-01-01T00:00:00Z, where a second has so many units, as `2024-05-06T07:08:09Z`.
pub(crate) fn time(units: i64, per_second: i64) -> Option<String> {
    let seconds = units.div_euclid(per_second);
    let (date, clock) = (date(seconds.div_euclid(86_400))?, seconds.rem_euclid(86_400));
    let (hours, minutes) = (clock / 3_600, clock / 60 % 60);
    Some(format!("{date}T{hours:02}:{minutes:02}:{:02}Z", clock % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        let known = [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (19_849, "2024-05-06"),
        ];
        for (days, expected) in known {
            assert_eq!(date(days).as_deref(), Some(expected));
        }
        assert_eq!((date(-719_528).as_deref(), date(2_932_896).as_deref()), (Some("0000-01-01"), Some("9999-12-31")));
        for days in [-719_529, 2_932_897, i64::MIN, i64::MAX] {
            assert_eq!(date(days), None, "{days}");
        }
    }

    #[test]
    fn units_are_times() {
        assert_eq!(time(1_714_979_289_999, 1_000).as_deref(), Some("2024-05-06T07:08:09Z"));
        assert_eq!(time(-1, 1_000_000).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(time(i64::MAX, 1), None);
        assert_eq!(time(i64::MIN, 1), None);
    }
}
