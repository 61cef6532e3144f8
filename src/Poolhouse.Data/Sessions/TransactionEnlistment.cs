using System.Transactions;

namespace Poolhouse.Data.Sessions;

/// <summary>The participation of a leased connection in a transaction.</summary>
internal sealed class TransactionEnlistment(Transaction transaction, Lease<PhysicalConnection> lease)
{
    public Transaction Transaction { get; } = transaction;

    public Lease<PhysicalConnection> Lease { get; } = lease;

    /// <summary>Completes when the transaction has.</summary>
    public TaskCompletionSource Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the transaction has completed. Under the lock of <see cref="EnlistedConnections"/>.</summary>
    public bool IsOver { get; set; }
}
