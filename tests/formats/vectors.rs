//! Suite files with one vector per line.

/// Runs a check on every non-empty line and collects the errors.
pub(crate) fn each_line(
    text: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let lines: Vec<_> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return Err("the file has no lines".to_owned());
    }
    let check_line = |(number, line): &(usize, &str)| {
        check(line).err().map(|why| format!("line {}: {why}", number + 1))
    };
    let errors: Vec<_> = lines.iter().filter_map(check_line).collect();
    match errors.as_slice() {
        [] => Ok(()),
        some => Err(format!(
            "{} of {} lines failed\n{}",
            some.len(),
            lines.len(),
            some.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
        )),
    }
}

/// Runs a check on every line of JSON, like [`each_line`].
pub(crate) fn each_json(
    text: &str,
    check: impl Fn(&serde_json::Value) -> Result<(), String>,
) -> Result<(), String> {
    each_line(text, |line| {
        let value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        check(&value)
    })
}

/// The string value of a member.
pub(crate) fn text_of<'a>(line: &'a serde_json::Value, member: &str) -> Result<&'a str, String> {
    line[member].as_str().ok_or_else(|| format!("{member} is not a string"))
}
