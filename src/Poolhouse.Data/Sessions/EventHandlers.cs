using System.ComponentModel;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Poolhouse.Data.Sessions;

/// <summary>The event handlers of a provider's connection, as they were when it was opened. Thread safe.</summary>
// Events have no public list of their handlers. The compiler implements an event with a private field of the same name;
// components keep others in a list. Handlers that a provider stores elsewhere are not detected.
internal sealed class EventHandlers
{
    private static readonly ConditionalWeakTable<Type, FieldInfo[]> _fields = [];

    private readonly FieldInfo[] _events;
    private readonly object?[] _atOpening;

    public EventHandlers(DbConnection connection)
    {
        _events = _fields.GetValue(connection.GetType(), FieldsOf);
        _atOpening = Array.ConvertAll(_events, field => field.GetValue(connection));
    }

    /// <summary>Whether the connection has other handlers than when it was opened.</summary>
    public bool HaveChanged(DbConnection connection)
    {
        for (var i = 0; i < _events.Length; i++)
        {
            if (!Equals(_events[i].GetValue(connection), _atOpening[i]))
            {
                return true;
            }
        }

        return false;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "An event that was trimmed away has no handlers.")]
    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "As above.")]
    private static FieldInfo[] FieldsOf(Type connection)
    {
        const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        var found = new List<FieldInfo>();
        for (var type = connection; type is not null; type = type.BaseType)
        {
            found.AddRange(type.GetFields(Own).Where(field =>
                field.FieldType == typeof(EventHandlerList)
                || (typeof(Delegate).IsAssignableFrom(field.FieldType) && type.GetEvent(field.Name, Own) is not null)));
        }

        return [.. found];
    }
}
