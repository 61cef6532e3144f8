using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A data adapter for commands of any provider: it fills and updates through the commands that it is given.
/// </summary>
internal sealed class PooledDataAdapter : DbDataAdapter;
