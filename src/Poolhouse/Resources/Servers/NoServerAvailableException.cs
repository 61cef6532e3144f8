namespace Poolhouse;

/// <summary>Every server of a <see cref="ServerSet{TServer}"/> was tried for one item, and all of them failed.</summary>
/// <remarks>
/// <see cref="Exception.InnerException"/> is the last failure. Where only one server was tried, its own exception reaches the
/// caller instead.
/// </remarks>
#pragma warning disable CA1032 // Only a server set can make one: it carries what the set saw.
public sealed class NoServerAvailableException : InvalidOperationException
#pragma warning restore CA1032
{
    internal NoServerAvailableException(string message, IReadOnlyList<Exception> failures)
        : base(message, failures[^1]) => Failures = failures;

    /// <summary>What each server failed with, in the order in which they were tried: at least two.</summary>
    public IReadOnlyList<Exception> Failures { get; }
}
