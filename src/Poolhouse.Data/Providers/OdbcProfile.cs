using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Data.Providers;

/// <summary>The provider of ODBC drivers.</summary>
// The provider begins a transaction by turning the driver's autocommit off, and turning it on again commits whatever transaction
// the session is in, also one that was begun by SQL. So no transaction is begun here to find out whether there is one: those of
// the provider are rolled back by SQLEndTran when they are disposed, and a session that executed anything but single queries and
// changes of rows is destroyed.
internal sealed class OdbcProfile : DbProviderProfile
{
    public override string Name => "System.Data.Odbc";

    public override bool UsesOdbcRules => true;

    public override string Guarantee =>
        "everything: a session that executed more than single queries, changes of rows and transactions of the " +
        "provider is closed";

    public override DbProviderLimits Limits => DbProviderLimits.Scopes;

    public override bool Recognizes(Type type) => type.Namespace is "System.Data.Odbc";

    public override SessionReset GetReset(DbConnection connection) => SessionReset.PlainOnly;

    // Where SQL has no transaction to roll back, some databases report an error: then the session is destroyed.
    public override async ValueTask<bool> TryRollbackAsync(DbConnection connection, CancellationToken cancellationToken) =>
        await SessionReset.TryExecuteAsync(connection, "ROLLBACK", cancellationToken).ConfigureAwait(false);

    public override DbErrorSeverity Classify(Exception exception) =>
        (exception as DbException ?? exception?.InnerException as DbException) is { } failure
        && StateOf(failure) is { Length: 5 } state
            ? ClassifyState(state, failure)
            : base.Classify(exception!);

    public override bool IsPermanent(Exception openFailure) =>
        base.IsPermanent(openFailure)
        && !(openFailure is DbException failure
            && StateOf(failure) is { } state
            && (state.StartsWith("08", StringComparison.Ordinal) || state.StartsWith("HYT", StringComparison.Ordinal)
                || state is "57P03" or "53300"));

    public override bool LacksRoom(Exception openFailure) =>
        openFailure is DbException failure && StateOf(failure) is "53300";

    internal override void SetCredential(DbConnectionStringBuilder builder, DbCredential credential)
    {
        Set(builder, credential.UserName, "Uid", "UserName", "User");
        Set(builder, credential.Password, "Pwd", "Password");
    }

    // In braces, nothing but a closing brace has a meaning.
    private static void Set(DbConnectionStringBuilder builder, string? value, params ReadOnlySpan<string> spellings)
    {
        if (value is null)
        {
            return;
        }

        var keyword = spellings[0];
        foreach (var spelling in spellings)
        {
            keyword = builder.ContainsKey(spelling) ? spelling : keyword;
        }

        builder[keyword] = "{" + value.Replace("}", "}}", StringComparison.Ordinal) + "}";
    }

    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "The provider uses the properties for its own message.")]
    private static string? StateOf(DbException failure)
    {
        if (failure.GetType().GetProperty("Errors")?.GetValue(failure) is IEnumerable errors)
        {
            foreach (var error in errors)
            {
                return error.GetType().GetProperty("SQLState")?.GetValue(error) as string;
            }
        }

        return failure.SqlState;
    }
}
