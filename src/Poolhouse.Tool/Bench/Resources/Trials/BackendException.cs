namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>The backend is down, or was since the session was opened.</summary>
internal sealed class BackendException : Exception
{
    public BackendException()
        : base("The backend is down.")
    {
    }

    public BackendException(string message)
        : base(message)
    {
    }

    public BackendException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
