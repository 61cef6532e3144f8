namespace Poolhouse.Tool.Cli;

/// <summary>What the process ends with.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The command line was wrong, or asked for something that cannot be done.</summary>
    public const int Usage = 2;

    /// <summary>Ended by Ctrl-C, as shells count it.</summary>
    public const int Interrupted = 130;
}
