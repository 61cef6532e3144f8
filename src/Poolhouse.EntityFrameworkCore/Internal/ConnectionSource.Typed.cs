using System.Data.Common;
using System.Transactions;
using Poolhouse.Data;

namespace Poolhouse.EntityFrameworkCore.Internal;

internal sealed class ConnectionSource<TConnection>(DbConnectionPool<TConnection> pool) : ConnectionSource
    where TConnection : DbConnection
{
    public override string Name => pool.Name;

    public override ContextLease Rent() => new Rented(pool, pool.Rent());

    public override async ValueTask<ContextLease> RentAsync(CancellationToken cancellationToken) =>
        new Rented(pool, await pool.RentAsync(cancellationToken).ConfigureAwait(false));

    public override void Clear() => pool.Clear();

    private sealed class Rented(DbConnectionPool<TConnection> pool, Lease<TConnection> lease) : ContextLease(lease.Value)
    {
        public override void Report(Exception exception) => pool.ObserveFailure(lease, exception);

        public override void Taint() => lease.Taint();

        public override void Observe(string? statement) => pool.ObserveStatement(lease, statement);

        protected override void ReportEnlistment(Transaction transaction) => pool.ObserveEnlistment(lease, transaction);

        protected override void Abandon() => pool.Abandon(lease);

        protected override void Return() => lease.Dispose();

        protected override ValueTask ReturnAsync() => lease.DisposeAsync();
    }
}
