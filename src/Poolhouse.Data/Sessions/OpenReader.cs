using System.Data.Common;

namespace Poolhouse.Data.Sessions;

/// <summary>A provider's reader that was left open at the end of a lease.</summary>
/// <param name="Reader">The reader.</param>
/// <param name="Cancel">Cancels its command.</param>
internal sealed record OpenReader(DbDataReader Reader, Action Cancel);
