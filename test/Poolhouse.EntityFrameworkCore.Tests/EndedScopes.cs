#pragma warning disable EF1001 // Its namespace has the name of those of Entity Framework.
using System.Runtime.CompilerServices;
using System.Transactions;
using Poolhouse.EntityFrameworkCore.Internal;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class EndedScopes
{
    [Fact]
    public void The_transaction_of_a_scope_that_has_ended_is_not_kept()
    {
        var scopes = new ContextScopes();
        var ended = AddEnded(scopes);

        AddEnded(scopes);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        Assert.False(ended.IsAlive);
        GC.KeepAlive(scopes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference AddEnded(ContextScopes scopes)
    {
        using var transaction = new CommittableTransaction();
        scopes.Add(transaction);
        transaction.Commit();
        return new WeakReference(transaction);
    }
}
