namespace Poolhouse.Simulation;

/// <summary>The pool broke one of its guarantees.</summary>
public sealed class BrokenPromiseException : Exception
{
    public BrokenPromiseException()
    {
    }

    public BrokenPromiseException(string message)
        : base(message)
    {
    }

    public BrokenPromiseException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
