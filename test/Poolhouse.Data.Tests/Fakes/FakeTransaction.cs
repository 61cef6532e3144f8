using System.Data;
using System.Data.Common;

namespace Poolhouse.Data.Tests.Fakes;

internal sealed class FakeTransaction(FakeDb db, FakeConnection connection, IsolationLevel isolationLevel) : DbTransaction
{
    public override IsolationLevel IsolationLevel => isolationLevel;

    protected override DbConnection? DbConnection => connection.Current == this ? connection : null;

    public override void Commit()
    {
        db.Note("transaction.Commit");
        connection.Current = null;
    }

    public override void Rollback()
    {
        db.Note("transaction.Rollback");
        connection.Current = null;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            db.Note("transaction.Dispose");
            if (connection.Current == this)
            {
                connection.Current = null;
            }
        }

        base.Dispose(disposing);
    }
}
