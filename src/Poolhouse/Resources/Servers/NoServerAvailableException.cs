namespace Poolhouse;

/// <summary>
/// The exception that is thrown when every server of a <see cref="ServerSet{TServer}"/> was tried for one item and all of them
/// failed.
/// </summary>
/// <remarks>
/// <see cref="Exception.InnerException"/> is the last failure. If only one server was tried, its own exception reaches the
/// caller instead.
/// </remarks>
public sealed class NoServerAvailableException : InvalidOperationException
{
    internal NoServerAvailableException(string message, IReadOnlyList<Exception> failures)
        : base(message, failures[^1]) => Failures = failures;

    /// <summary>The failures of the servers, in the order in which they were tried; at least two.</summary>
    public IReadOnlyList<Exception> Failures { get; }
}
