using System.Data.Common;

namespace Poolhouse.Data.Wrappers;

/// <summary>
/// A data adapter for commands of any provider: what it fills and updates goes through the commands it is given.
/// </summary>
internal sealed class PooledDataAdapter : DbDataAdapter;
