using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Storage;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Creates transactions on a rented connection that dispose the provider's transaction before the lease ends.</summary>
internal sealed class ContextTransactionFactory(IRelationalTransactionFactory inner, ISqlGenerationHelper sql)
    : IRelationalTransactionFactory
{
    public RelationalTransaction Create(
        IRelationalConnection connection,
        DbTransaction transaction,
        Guid transactionId,
        IDiagnosticsLogger<DbLoggerCategory.Database.Transaction> logger,
        bool transactionOwned)
    {
        if (!transactionOwned || !RentedConnections.IsOne(connection.DbConnection, out _))
        {
            return inner.Create(connection, transaction, transactionId, logger, transactionOwned);
        }

        return new ContextTransaction(
            inner.Create(connection, transaction, transactionId, logger, transactionOwned: false), connection, transaction,
            transactionId, logger, sql);
    }
}
