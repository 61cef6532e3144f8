using System.Collections;
using System.ComponentModel;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Poolhouse.Data.Sessions;

/// <summary>
/// The event handlers of a provider's connection, and the functions that an application has registered on it, as they were when
/// it was opened. Thread safe.
/// </summary>
// Events have no public list of their handlers. The compiler implements an event with a private field of the same name;
// components keep others in a list. Handlers that a provider stores elsewhere are not detected.
// SQLite's provider keeps the functions and collations in dictionaries. The reset of SQLite sees their names, but not that a
// function was replaced by another one of the same name.
internal sealed class EventHandlers
{
    private static readonly ConditionalWeakTable<Type, FieldInfo[]> _fields = [];

    private readonly FieldInfo[] _events;
    private readonly object?[] _atOpening;

    public EventHandlers(DbConnection connection)
    {
        _events = _fields.GetValue(connection.GetType(), FieldsOf);
        _atOpening = Array.ConvertAll(_events, field => ValueOf(field, connection));
    }

    /// <summary>Whether the connection has other handlers than when it was opened.</summary>
    public bool HaveChanged(DbConnection connection)
    {
        for (var i = 0; i < _events.Length; i++)
        {
            var (now, before) = (ValueOf(_events[i], connection), _atOpening[i]);
            if (!(now is object[] all && before is object[] known ? all.AsSpan().SequenceEqual(known) : Equals(now, before)))
            {
                return true;
            }
        }

        return false;
    }

    private static object? ValueOf(FieldInfo field, DbConnection connection) =>
        field.GetValue(connection) is var value && value is IDictionary registered
            ? registered.Cast<object>().ToArray()
            : value;

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
                || (typeof(IDictionary).IsAssignableFrom(field.FieldType) && DbProviderProfile.For(connection).RegistersFunctions)
                || (typeof(Delegate).IsAssignableFrom(field.FieldType) && type.GetEvent(field.Name, Own) is not null)));
        }

        return [.. found];
    }
}
