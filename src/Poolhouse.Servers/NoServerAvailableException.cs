namespace Poolhouse.Servers;

/// <summary>
/// The exception that is thrown when every server of a <see cref="ServerSet{TServer}"/> was tried for one item and each of them
/// failed or does not have the required role.
/// </summary>
/// <remarks>
/// <see cref="Exception.InnerException"/> is the last failure; null if none failed. The message lists the servers by their
/// position in the list, each with the type of its failure or its role. If only one server was tried and failed, its own
/// exception reaches the caller instead.
/// </remarks>
public sealed class NoServerAvailableException : InvalidOperationException
{
    internal NoServerAvailableException(string message, IReadOnlyList<Exception> failures, bool isRoleMissing)
        : base(message, failures is [.., var last] ? last : null) => (Failures, IsRoleMissing) = (failures, isRoleMissing);

    /// <summary>The failures of the servers, in the order in which they were tried, without those that have the wrong
    /// role.</summary>
    public IReadOnlyList<Exception> Failures { get; }

    /// <summary>
    /// Whether a primary or a standby is required, and a server that did not fail has another role, which may change.
    /// </summary>
    public bool IsRoleMissing { get; }
}
