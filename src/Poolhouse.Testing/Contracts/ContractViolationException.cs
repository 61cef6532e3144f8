namespace Poolhouse.Testing;

/// <summary>A pool broke a promise.</summary>
public sealed class ContractViolationException : Exception
{
    /// <summary>Makes an exception without a message of its own.</summary>
    public ContractViolationException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">Which promise, and how it was broken.</param>
    public ContractViolationException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">Which promise, and how it was broken.</param>
    /// <param name="innerException">What the pool threw instead.</param>
    public ContractViolationException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
