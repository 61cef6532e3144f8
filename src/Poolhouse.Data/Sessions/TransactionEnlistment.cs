using System.Transactions;

namespace Poolhouse.Data.Sessions;

/// <summary>The participation of a leased connection in a transaction.</summary>
/// <param name="transaction">The transaction.</param>
/// <param name="lease">The lease that the completion ends if it is parked then; none for a provider's own connection.</param>
internal sealed class TransactionEnlistment(Transaction transaction, Lease<PhysicalConnection> lease = default)
{
    public Transaction Transaction { get; } = transaction;

    public Lease<PhysicalConnection> Lease { get; } = lease;

    /// <summary>Completes when the transaction has.</summary>
    public TaskCompletionSource Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the transaction has completed. Under the lock of <see cref="EnlistedConnections"/>.</summary>
    public bool IsOver { get; set; }
}
