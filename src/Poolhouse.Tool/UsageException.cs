namespace Poolhouse.Tool;

/// <summary>The command line is invalid. The message says what to change; the exit code is
/// 2.</summary>
internal sealed class UsageException : Exception
{
    public UsageException()
    {
    }

    public UsageException(string message)
        : base(message)
    {
    }

    public UsageException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
