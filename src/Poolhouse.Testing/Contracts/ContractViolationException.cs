namespace Poolhouse.Testing;

/// <summary>Thrown when a pool broke a promise.</summary>
public sealed class ContractViolationException : Exception
{
    /// <summary>Creates an exception with the default message.</summary>
    public ContractViolationException()
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">Which promise, and how it was broken.</param>
    public ContractViolationException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception.</summary>
    /// <param name="message">Which promise, and how it was broken.</param>
    /// <param name="innerException">The exception that the pool threw instead.</param>
    public ContractViolationException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
