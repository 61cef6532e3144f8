namespace Poolhouse.Tool.Cli;

/// <summary>The exit code of the process.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>A part could not be measured; the report has the reason, and the rest.</summary>
    public const int Incomplete = 1;

    /// <summary>The command line was invalid, or the request is impossible.</summary>
    public const int Usage = 2;

    /// <summary>Ended by Ctrl-C, as shells count it.</summary>
    public const int Interrupted = 130;
}
