//! The program: [`carat::command_line`].

fn main() -> std::process::ExitCode {
    carat::command_line::main()
}
