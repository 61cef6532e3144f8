using System.Data.Common;

namespace Poolhouse.Data.Providers;

/// <summary>The provider of Firebird.</summary>
internal sealed class FirebirdProfile : DbProviderProfile
{
    public override string Name => "FirebirdSql.Data.FirebirdClient";

    // The server has no reset before version 4, and no limit of a statement's time either.
    public override DbProviderLimits Limits => DbProviderLimits.SessionState | DbProviderLimits.Timeouts;

    public override string ValidationQuery => "SELECT 1 FROM RDB$DATABASE";

    public override bool Recognizes(Type type) => type.Namespace is "FirebirdSql.Data.FirebirdClient";

    // After another spelling in the same string, these count.
    internal override bool HasKeyword(string keyword) => keyword is "Pooling" or "Enlist" or "User ID" or "Password";

    // network_error, net_read_err, net_write_err, lost_db_connection (Firebird's include/gen/iberror.h): the server has gone, or
    // has closed this connection. att_shutdown: this session was ended.
    public override DbErrorSeverity Classify(Exception exception) => (exception as DbException)?.ErrorCode switch
    {
        335544721 or 335544726 or 335544727 or 335544741 => DbErrorSeverity.Server,
        335544856 => DbErrorSeverity.Connection,
        _ => base.Classify(exception),
    };
}
