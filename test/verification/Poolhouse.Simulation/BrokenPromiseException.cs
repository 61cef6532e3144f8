namespace Poolhouse.Simulation;

/// <summary>The pool did something that it promises not to do.</summary>
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
